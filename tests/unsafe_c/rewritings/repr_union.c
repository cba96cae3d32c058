#include <assert.h>

extern int __VERIFIER_nondet_int(void);

union u {
    int i;
    short s;
};
int main(void) {
    union u x;
    x.i = __VERIFIER_nondet_int();
    if (x.i > 70000)
        assert(x.s > 0);
    return 0;
}
