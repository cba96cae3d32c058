// A registered function runs at the exit, the last one first.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static int order;
static void first(void) { order = 1; }
static void second(void) { assert(order == 1); }
int main(void) {
    atexit(first);
    atexit(second);
    while (__VERIFIER_nondet_int() > 0)
        ;
    exit(0);
}
