// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A ring behind a header on the heap, which is turned: the header leads to any of its nodes.
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct n { struct n *next; };
struct h { struct n *last; };
int main(void) {
    struct h *r = malloc(sizeof *r);
    if (!r) return 0;
    r->last = NULL;
    while (__VERIFIER_nondet_int()) {
        struct n *n = malloc(sizeof *n);
        if (n) {
        if (r->last == NULL) { n->next = n; r->last = n; }
        else { n->next = r->last->next; r->last->next = n; }
        }
    }
    while (__VERIFIER_nondet_int())
      if (r->last)
        r->last = r->last->next;
    while (r->last) {
        struct n *f = r->last->next;
        if (f == r->last) r->last = NULL; else r->last->next = f->next;
        free(f);
    }
    free(r);
    return 0;
}
