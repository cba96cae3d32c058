// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A circular list: nodes are added behind the first, and freed until the first comes again.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
};

int main(void) {
    struct node *ring = malloc(sizeof *ring);
    if (!ring)
        return 0;
    ring->next = ring;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->next = ring->next;
        ring->next = fresh;
    }
    struct node *p = ring->next;
    while (p != ring) {
        struct node *next = p->next;
        free(p);
        p = next;
    }
    free(ring);
    return 0;
}
