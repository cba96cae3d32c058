/* Setting a flag keeps it. */
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
    struct node *n = calloc(1, sizeof *n);
    n->word = (uintptr_t)n | 2;
    n->word &= ~(uintptr_t)1;
    assert((n->word & 2) == 0);
    free(n);
    return 0;
}
