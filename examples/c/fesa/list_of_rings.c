// RUN: kleene check --domain fesa
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A list of independent rings is built, walked and freed: future work in the FESA paper's section 6.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct ring {
    struct ring *next;
};
struct node {
    struct node *next;
    struct ring *ring;
};
int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        if (!n) abort();
        struct ring *first = malloc(sizeof *first);
        if (!first) abort();
        first->next = first;
        while (__VERIFIER_nondet_int()) {
            struct ring *r = malloc(sizeof *r);
            if (!r) abort();
            r->next = first->next;
            first->next = r;
        }
        n->ring = first;
        n->next = list;
        list = n;
    }
    for (struct node *p = list; p; p = p->next) {
        struct ring *r = p->ring;
        do {
            r = r->next;
        } while (r != p->ring);
    }
    while (list) {
        struct node *n = list->next;
        struct ring *r = list->ring;
        while (r->next != r) {
            struct ring *t = r->next;
            r->next = t->next;
            free(t);
        }
        free(r);
        free(list);
        list = n;
    }
    return 0;
}
