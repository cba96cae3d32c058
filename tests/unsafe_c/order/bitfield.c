#include <assert.h>

extern int __VERIFIER_nondet_int(void);

struct s {
    int w : 3;
};
int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    struct s x;
    x.w = 3;
    int f = a > x.w;
    if (f)
        assert(a >= b);
    return 0;
}
