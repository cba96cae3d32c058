#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int();
    int f = a < 10;
    int g = a > 5;
    if (f && g)
        assert(a == 6);
    return 0;
}
