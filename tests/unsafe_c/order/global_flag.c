#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int limit = 5;
int big;
int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    big = a > limit;
    if (big)
        assert(a >= b);
    return 0;
}
