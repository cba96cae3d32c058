#include <assert.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int();
    int b;
    memcpy(&b, &a, 4);
    if (a > 5) {
        if (b < 9)
            assert(b == 6);
    }
    return 0;
}
