/* The word read as a pointer by another name has its flags. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    uintptr_t word;
    struct node *next;
};

union view {
    uintptr_t word;
    struct node *pointer;
};

int main(void) {
    struct node *n = malloc(sizeof *n);
    union view *v = malloc(sizeof *v);
    v->word = (uintptr_t)n | 1;
    struct node *seen = v->pointer;
    assert(seen == n);
    free(v);
    free(n);
    return 0;
}
