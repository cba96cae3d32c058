/* A number of fewer bits is another address. */
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
    void *p = __VERIFIER_nondet_int() ? (void *)(uintptr_t)(unsigned)-1 : NULL;
    assert(p == NULL || p == (void *)-1);
    return 0;
}
