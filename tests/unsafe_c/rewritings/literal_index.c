#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i > 2)
        return 0;
    assert("abc"[i] < 99);
    return 0;
}
