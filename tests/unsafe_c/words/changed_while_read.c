/* The flags are read before the pointer that leads to them changes. */
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
    struct marked *a = malloc(sizeof *a), *b = malloc(sizeof *b), *p = a;
    b->next = NULL;
    a->next = (struct marked *)((uintptr_t)b | 1);
    p = p->next;
    assert(!((uintptr_t)p & 1));
    free(a);
    free(b);
    return 0;
}
