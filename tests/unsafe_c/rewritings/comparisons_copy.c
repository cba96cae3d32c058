/* Two pointers were equal when one was compared; the other points elsewhere before the comparison is made again. */
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int key;
};

int main(void)
{
    int key = __VERIFIER_nondet_int(), below = 0;
    struct node *p = malloc(sizeof *p), *q = malloc(sizeof *q), *t;
    if (!p || !q) {
        free(p);
        free(q);
        return 0;
    }
    p->key = __VERIFIER_nondet_int();
    q->key = __VERIFIER_nondet_int();
    t = p;
    if (key < p->key)
        below = 1;
    if (__VERIFIER_nondet_int())
        t = q;
    if (key < t->key)
        assert(below == 1);
    free(p);
    free(q);
    return 0;
}
