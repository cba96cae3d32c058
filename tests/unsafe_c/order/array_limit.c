#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    int lim[2] = {3, 8};
    int f = a > lim[1];
    if (f)
        assert(a >= b);
    return 0;
}
