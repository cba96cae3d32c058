#include <assert.h>

extern int __VERIFIER_nondet_int(void);

struct b {
    int lo, hi;
} bounds = {1, 9};
int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    int f = a > bounds.hi;
    if (f)
        assert(a >= b);
    return 0;
}
