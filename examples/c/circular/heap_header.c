// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A doubly linked ring with a sentinel, to which a header on the heap leads.
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
typedef struct link { struct link *next, *prev; } link_t;
typedef struct { link_t *sentinel; } dlist_t;
int main(void) {
    dlist_t *l = malloc(sizeof *l);
    if (!l) return 0;
    l->sentinel = malloc(sizeof *l->sentinel);
    if (!l->sentinel) { free(l); return 0; }
    l->sentinel->next = l->sentinel->prev = l->sentinel;
    while (__VERIFIER_nondet_int()) {
        link_t *n = malloc(sizeof *n);
        if (!n) break;
        n->prev = l->sentinel->prev; n->next = l->sentinel;
        l->sentinel->prev->next = n; l->sentinel->prev = n;
    }
    while (l->sentinel->next != l->sentinel) {
        link_t *n = l->sentinel->next;
        n->prev->next = n->next; n->next->prev = n->prev; free(n);
    }
    free(l->sentinel); free(l);
    return 0;
}
