/* One address has two names. */
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
    assert(p != (void *)0xffffffffffffffffUL || p != (void *)-1);
    return 0;
}
