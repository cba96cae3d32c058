/* The number that the address is. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct pair {
    long first;
    struct pair *second;
};

int main(void) {
    void *p = __VERIFIER_nondet_int() ? (void *)-1 : NULL;
    if (p == (void *)-1) assert((uintptr_t)p + 1 != 0);
    return 0;
}
