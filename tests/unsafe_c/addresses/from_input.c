/* An input becomes the address. */
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
    void *p = (void *)(intptr_t)__VERIFIER_nondet_int();
    assert(p != (void *)-1);
    return 0;
}
