/* A mask that clears more than flags changes the pointer. */
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
    struct node *n = malloc(sizeof *n), *m = malloc(sizeof *m);
    n->word = (uintptr_t)m | 1;
    struct node *page = (struct node *)(n->word & ~(uintptr_t)4095);
    assert(page == m);
    free(m);
    free(n);
    return 0;
}
