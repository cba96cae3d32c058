/* NULL with a flag is not NULL. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    uintptr_t word;
    struct node *next;
};

int main(void) {
    uintptr_t word = 0;
    if (__VERIFIER_nondet_int())
        word |= 1;
    assert(word == 0);
    assert(((struct node *)(word & ~(uintptr_t)1)) == NULL);
    return 0;
}
