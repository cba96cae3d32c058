/* Exclusive or toggles a flag: twice is none, three times is one. */
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
    n->word = (uintptr_t)n;
    for (int i = 0; i < 3; i++)
        n->word ^= 1;
    assert(!(n->word & 1));
    free(n);
    return 0;
}
