/* The exclusive or of two pointers is no pointer with flags. */
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
    struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    a->word = (uintptr_t)a ^ (uintptr_t)b;
    b->word = (uintptr_t)a | 1;
    struct node *other = (struct node *)(a->word ^ (uintptr_t)a);
    assert(other == a);
    free(a);
    free(b);
    return 0;
}
