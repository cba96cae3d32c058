#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct e { int *key; struct e *next; };
struct list { unsigned kind : 3, own : 1, last : 2; unsigned char more; struct e *first; };
int main(void) {
    static int shared;
    struct list *l = malloc(sizeof *l);
    if (!l) return 0;
    l->kind = 5; l->own = 0; l->last = 3; l->first = NULL; l->more = 0;
    if (__VERIFIER_nondet_int()) l->own = 1;
    while (__VERIFIER_nondet_int()) {
        struct e *e = malloc(sizeof *e);
        if (!e) break;
        e->key = &shared;
        if (l->own) { e->key = malloc(sizeof *e->key); }
        e->next = l->first;
        l->first = e;
    }
    while (l->first) {
        struct e *e = l->first;
        l->first = e->next;
        if (l->own) free(e->key);
        free(e);
    }
    free(l);
    return 0;
}
