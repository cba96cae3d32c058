#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a[3] = {0, 0, 1};
    int n = __VERIFIER_nondet_int();
    signed char c = (signed char)n;
    int i = c & 3;
    if (i == 3)
        i = 2;
    assert(a[i] == 0);
    return 0;
}
