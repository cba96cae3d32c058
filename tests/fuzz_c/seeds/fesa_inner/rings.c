#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct ring { struct ring *next; };
struct node { struct node *next; struct ring *ring; };
int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        struct ring *first = malloc(sizeof *first);
        if (!n || !first) abort();
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
    while (list) {
        struct node *n = list->next;
        struct ring *end = list->ring, *r = end->next;
        while (r != end) { struct ring *t = r->next; free(r); r = t; }
        free(end);
        free(list);
        list = n;
    }
    return 0;
}
