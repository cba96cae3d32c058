/* An array of characters need not begin at an even address. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    uintptr_t word;
    struct node *next;
};

struct padded {
    char first;
    char text[16];
} padded;

int main(void) {
    struct node *n = malloc(sizeof *n);
    n->word = (uintptr_t)&padded.text;
    assert(!(n->word & 1) || (uintptr_t)&padded % 2);
    free(n);
    return 0;
}
