#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int f(void) {
    return 1;
}
static int g(void) {
    return 2;
}
int main(void) {
    int (*p)(void) = __VERIFIER_nondet_int() ? f : g;
    assert(p() == 1);
    return 0;
}
