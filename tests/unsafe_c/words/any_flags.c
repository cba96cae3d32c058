/* A number that is added is more than flags. */
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
    int color = __VERIFIER_nondet_int();
    if (color < 0 || color > 4)
        return 0;
    n->word = (uintptr_t)n + color;
    struct node *same = (struct node *)(n->word & ~(uintptr_t)3);
    assert(same == n);
    free(n);
    return 0;
}
