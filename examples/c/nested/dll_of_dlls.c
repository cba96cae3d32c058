// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A doubly linked list of doubly linked lists.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct sub {
    struct sub *next, *prev;
};

struct top {
    struct top *next, *prev;
    struct sub *subs;
};

static struct sub *mk(void) {
    struct sub *s = NULL;
    while (__VERIFIER_nondet_int()) {
        struct sub *n = malloc(sizeof *n);
        if (!n)
            abort();
        n->next = s;
        n->prev = NULL;
        if (s)
            s->prev = n;
        s = n;
    }
    return s;
}

int main(void) {
    struct top *t = NULL;
    while (__VERIFIER_nondet_int()) {
        struct top *n = malloc(sizeof *n);
        if (!n)
            abort();
        n->subs = mk();
        n->next = t;
        n->prev = NULL;
        if (t)
            t->prev = n;
        t = n;
    }
    while (t) {
        struct top *n = t->next;
        struct sub *s = t->subs;
        while (s) {
            struct sub *m = s->next;
            free(s);
            s = m;
        }
        free(t);
        t = n;
    }
    return 0;
}
