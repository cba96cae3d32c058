/* An address that the assignment itself changes is computed before. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    uintptr_t word;
    struct node *next;
};

struct marked {
    struct marked *next;
};

int main(void) {
    struct marked *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    b->next = b;
    a->next = a;
    a->next->next = (struct marked *)((uintptr_t)b | 1);
    struct marked *left = (struct marked *)((uintptr_t)a->next & ~(uintptr_t)1);
    assert(((uintptr_t)left->next & 1) || !((uintptr_t)a->next & 1));
    free(a);
    free(b);
    return 0;
}
