/* A number of fewer bits is no pointer. */
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
    n->word = (uintptr_t)n | 1;
    n->word = (unsigned)n->word;
    assert(((struct node *)(n->word & ~(uintptr_t)1)) == n);
    free(n);
    return 0;
}
