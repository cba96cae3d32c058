#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int data; };
static struct node **v;
static struct node ***elsewhere = &v;
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 4 || n > 100) return 0;
    struct node **first = malloc(n * sizeof *first), **second = malloc(n * sizeof *second), a;
    if (!first || !second) return 0;
    for (int k = 0; k < n; k++) { first[k] = &a; second[k] = NULL; }
    v = first;
    *elsewhere = second;
    assert(v[1] == &a);
    free(first);
    free(second);
    return 0;
}
