#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int data; };
static struct node *own[3];
static struct node **table[2] = {0, own};
int main(void) {
    int n = __VERIFIER_nondet_int(), k = __VERIFIER_nondet_int();
    if (n < 4 || n > 100 || k < 0 || k > 1) return 0;
    struct node a;
    table[0] = malloc(n * sizeof(struct node *));
    if (!table[0]) return 0;
    for (int i = 0; i < n; i++) table[0][i] = NULL;
    own[1] = &a;
    struct node **p = table[k];
    assert(p[1] == NULL);
    free(table[0]);
    return 0;
}
