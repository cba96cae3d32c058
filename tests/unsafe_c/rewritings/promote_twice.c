#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = 1, b = 2;
    int *p;
    if (__VERIFIER_nondet_int())
        p = &a;
    else
        p = &b;
    *p = 3;
    assert(a == 3);
    return 0;
}
