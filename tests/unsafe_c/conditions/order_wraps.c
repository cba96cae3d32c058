// x <= y is kept by x++ and y++, unless y wraps around.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if (x <= y) {
        x = (int)((unsigned)x + 1u);
        y = (int)((unsigned)y + 1u);
        assert(x <= y);
    }
    return 0;
}
