#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int limit = 5;
static int above(int x) {
    return x > limit;
}
int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    int (*f)(int) = above;
    if (f(a))
        assert(a >= b);
    return 0;
}
