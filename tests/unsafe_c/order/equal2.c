#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int limit;
int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    int f = a == limit;
    if (f)
        assert(a <= b);
    return 0;
}
