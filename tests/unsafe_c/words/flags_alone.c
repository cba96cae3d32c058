/* A word that gets flags without a pointer is not NULL where one of them is set. */
#include <stdint.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    uintptr_t word;
    struct node *next;
};

int main(void) {
    struct node *a = malloc(sizeof *a);
    if (!a)
        return 0;
    uintptr_t word = (uintptr_t)a | 1;
    a->word = word & 1 | (__VERIFIER_nondet_int() & 2);
    if (__VERIFIER_nondet_int())
        a->word = (uintptr_t)a | (a->word & 3);
    struct node *b = (struct node *)(a->word & ~(uintptr_t)3);
    b->word = 0; // the flags are not a pointer
    free(a);
    return 0;
}
