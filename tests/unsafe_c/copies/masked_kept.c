#include <assert.h>

extern int __VERIFIER_nondet_int(void);
int main(void) {
    int i = __VERIFIER_nondet_int();
    if (i == 2 || i == 6) return 0;
    int differs = (i & 6) != 2;
    if (differs) return 1;
    assert(0);
    return 0;
}
