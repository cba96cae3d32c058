#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int();
    int b = a;
    unsigned char c = (unsigned char)b;
    if (a > 300)
        assert(c != 45 || a < 400);
    return 0;
}
