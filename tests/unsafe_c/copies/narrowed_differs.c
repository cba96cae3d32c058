#include <assert.h>

extern int __VERIFIER_nondet_int(void);
int main(void) {
    int i = __VERIFIER_nondet_int();
    if (i == 45) return 0;
    int differs = (char)i != 45;
    if (differs) return 1;
    assert(0);
    return 0;
}
