/* memset clears flags. */
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
    n->next = NULL;
    n->word = (uintptr_t)n | 1;
    memset(n, 0, sizeof *n);
    assert(n->word & 1);
    free(n);
    return 0;
}
