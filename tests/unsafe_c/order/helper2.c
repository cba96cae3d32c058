#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int above(int x, int y) {
    return x > y;
}
int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    int limit = 5;
    limit = limit + limit;
    if (above(a, limit))
        assert(a >= b);
    return 0;
}
