// RUN: kleene check --domain fesa
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A ring of independent doubly linked rings is built and freed: one of the inner rings is followed apart.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct bead {
    struct bead *next, *prev;
};
struct knot {
    struct knot *next, *prev;
    struct bead *ring;
};
static struct bead *bead_ring(void) {
    struct bead *b = malloc(sizeof *b);
    if (!b) abort();
    b->next = b->prev = b;
    while (__VERIFIER_nondet_int()) {
        struct bead *n = malloc(sizeof *n);
        if (!n) abort();
        n->prev = b->prev;
        n->next = b;
        b->prev->next = n;
        b->prev = n;
    }
    return b;
}
static void free_beads(struct bead *b) {
    struct bead *p = b->next;
    while (p != b) {
        struct bead *q = p->next;
        free(p);
        p = q;
    }
    free(b);
}
int main(void) {
    struct knot *k = malloc(sizeof *k);
    if (!k) abort();
    k->next = k->prev = k;
    k->ring = bead_ring();
    while (__VERIFIER_nondet_int()) {
        struct knot *n = malloc(sizeof *n);
        if (!n) abort();
        n->ring = bead_ring();
        n->next = k->next;
        n->prev = k;
        k->next->prev = n;
        k->next = n;
    }
    struct knot *p = k->next;
    while (p != k) {
        struct knot *q = p->next;
        free_beads(p->ring);
        free(p);
        p = q;
    }
    free_beads(k->ring);
    free(k);
    return 0;
}
