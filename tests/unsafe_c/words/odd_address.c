/* A pointer into the middle of an object has low bits of its own. */
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
    char *block = malloc(sizeof(struct node));
    uintptr_t word = (uintptr_t)(block + 1);
    struct node *n = malloc(sizeof *n);
    n->word = word & ~(uintptr_t)2;
    assert(!(n->word & 1));
    free(n);
    free(block);
    return 0;
}
