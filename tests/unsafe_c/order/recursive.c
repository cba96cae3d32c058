#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int limit = 5;
static int above(int x, int n) {
    if (n == 0)
        return x > limit;
    return above(x, n - 1);
}
int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    if (above(a, 2))
        assert(a >= b);
    return 0;
}
