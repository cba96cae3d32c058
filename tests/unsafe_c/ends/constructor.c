// A constructor runs before main.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
static int ready;
__attribute__((constructor)) static void start(void) { ready = 1; }
int main(void) {
    while (__VERIFIER_nondet_int() > 0)
        ;
    assert(ready == 0);
    return 0;
}
