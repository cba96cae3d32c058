/* memcpy copies flags. */
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
    n->next = NULL;
    n->word = (uintptr_t)n | 1;
    m->word = (uintptr_t)n;
    memcpy(m, n, sizeof *m);
    m->word &= ~(uintptr_t)2;
    assert(!(m->word & 1));
    free(m);
    free(n);
    return 0;
}
