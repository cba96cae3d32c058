/* A word is written through a pointer to it. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    uintptr_t word;
    struct node *next;
};

static void set(uintptr_t *word) {
    *word |= 1;
}

int main(void) {
    struct node *n = malloc(sizeof *n);
    uintptr_t word = (uintptr_t)n;
    n->word = (uintptr_t)n;
    set(__VERIFIER_nondet_int() ? &word : &n->word);
    assert(!(word & 1) && ((struct node *)(word & ~(uintptr_t)1)) == n);
    free(n);
    return 0;
}
