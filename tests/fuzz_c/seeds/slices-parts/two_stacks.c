// A stack and a queue of their own types, and numbers that control both.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct cell { struct cell *next; int v; };
struct entry { struct entry *next; int key; };
int main(void) {
    struct cell *top = NULL;
    struct entry *first = NULL, *last = NULL;
    int depth = 0;
    while (__VERIFIER_nondet_int()) {
        struct cell *c = malloc(sizeof *c);
        struct entry *e = malloc(sizeof *e);
        if (!c || !e) {
            free(c);
            free(e);
            break;
        }
        c->v = 0;
        c->next = top;
        top = c;
        depth = 1;
        e->key = 1;
        e->next = NULL;
        if (last)
            last->next = e;
        else
            first = e;
        last = e;
        if (depth && first && __VERIFIER_nondet_int()) {
            e = first;
            first = e->next;
            if (!first)
                last = NULL;
            free(e);
        }
    }
    while (top) {
        struct cell *c = top;
        top = c->next;
        free(c);
    }
    while (first) {
        struct entry *e = first;
        first = e->next;
        free(e);
    }
    return 0;
}
