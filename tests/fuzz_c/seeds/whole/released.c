#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct e { struct e *next; int *data; };
struct table { int size; struct e *first; };
static void release(void *at) { void **p = at; if (*p) { free(*p); *p = NULL; } }
int main(void) {
    struct table *t = malloc(sizeof *t);
    if (!t) return 0;
    t->size = 7;
    t->first = NULL;
    while (__VERIFIER_nondet_int()) {
        struct e *e = malloc(sizeof *e);
        if (!e) break;
        e->data = malloc(4);
        e->next = t->first;
        t->first = e;
    }
    while (t->first) {
        struct e *e = t->first;
        t->first = e->next;
        release(&e->data);
        release(&e);
    }
    release(&t);
    return 0;
}
