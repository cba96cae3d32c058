#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    int lim = 5;
    int *p = &lim;
    *p = lim + 1;
    int f = a > *p;
    if (f)
        assert(a >= b);
    return 0;
}
