// A destructor runs after main.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
static int used;
__attribute__((destructor)) static void stop(void) { assert(used == 0); }
int main(void) {
    while (__VERIFIER_nondet_int() > 0)
        used = 1;
    return 0;
}
