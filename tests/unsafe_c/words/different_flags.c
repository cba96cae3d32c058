/* Words with one pointer and different flags differ. */
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
    n->next = n;
    assert(n->word == (uintptr_t)n->next);
    free(n);
    return 0;
}
