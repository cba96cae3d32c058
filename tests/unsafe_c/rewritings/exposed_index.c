#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int data; };
static int i;
static int *elsewhere = &i;
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 4 || n > 100) return 0;
    struct node **v = malloc(n * sizeof *v), a;
    if (!v) return 0;
    for (int k = 0; k < n; k++) v[k] = NULL;
    i = 0;
    v[i] = &a;
    *elsewhere = 1;
    assert(v[i] == &a);
    free(v);
    return 0;
}
