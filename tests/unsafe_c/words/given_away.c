/* A function that calls itself gets the flags. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    uintptr_t word;
    struct node *next;
};

static int flags(struct node *p, int depth) {
    return depth > 0 ? flags(p, depth - 1) + 0 : (int)((uintptr_t)p & 1);
}

int main(void) {
    struct node *n = malloc(sizeof *n);
    n->word = (uintptr_t)n | 1;
    assert(flags((struct node *)n->word, 3) == 0);
    free(n);
    return 0;
}
