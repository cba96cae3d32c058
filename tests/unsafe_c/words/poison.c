/* A constant that is no address has flags like any number. */
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
    struct node *n = malloc(sizeof *n);
    n->word = (uintptr_t)(void *)-1;
    n->word &= ~(uintptr_t)2;
    assert(!(n->word & 1));
    free(n);
    return 0;
}
