#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    int limit = 2 + 3;
    limit = limit * 2;
    int f = a <= limit;
    if (!f)
        assert(a >= b);
    return 0;
}
