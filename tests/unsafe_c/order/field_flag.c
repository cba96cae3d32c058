#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct b {
    int big;
    int data;
};
int limit = 5;
int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    struct b *p = malloc(sizeof *p);
    if (!p)
        return 1;
    p->big = a > limit;
    int big = p->big;
    free(p);
    if (big)
        assert(a >= b);
    return 0;
}
