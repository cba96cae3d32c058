#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    static int limit = 5;
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    int f = limit < a;
    if (f)
        assert(a >= b);
    return 0;
}
