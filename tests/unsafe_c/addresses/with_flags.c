/* Flags that are cleared give the other address. */
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
    struct pair *n = malloc(sizeof *n);
    if (!n) return 0;
    uintptr_t word = __VERIFIER_nondet_int() ? (uintptr_t)n | 1 : (uintptr_t)-1;
    void *p = (void *)(word & ~(uintptr_t)1);
    free(n);
    assert(p != (void *)-2);
    return 0;
}
