#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int g;
int main(void) {
    g = __VERIFIER_nondet_int();
    int *p = &g;
    int f = *p > 3;
    if (f)
        assert(g == 4);
    return 0;
}
