/* The flag says that the node is freed. */
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
    m->word = (uintptr_t)n;
    if (__VERIFIER_nondet_int()) {
        free(n);
        m->word |= 1;
        n = NULL;
    }
    struct node *kept = (struct node *)(m->word & ~(uintptr_t)1);
    assert((m->word & 1) == 0 || kept == NULL);
    if (n != NULL)
        free(kept);
    free(m);
    return 0;
}
