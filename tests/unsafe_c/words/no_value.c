/* A pointer without a value has any flags. */
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
    memset(n, 1, sizeof *n);
    free(n);
    struct node *m = malloc(sizeof *m), *p;
    memset(&p, 1, sizeof p);
    m->word = (uintptr_t)p;
    m->word &= ~(uintptr_t)2;
    assert(!(m->word & 1));
    free(m);
    return 0;
}
