// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Six cursors walk through one list, each at its own pace.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int visits;
};

static struct node *visit(struct node *at) {
    if (!at)
        return NULL;
    at->visits++;
    return at->next;
}

int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        if (!n)
            abort();
        n->visits = 0;
        n->next = list;
        list = n;
    }
    struct node *a = list, *b = list, *c = list, *d = list, *e = list, *f = list;
    while (__VERIFIER_nondet_int()) {
        switch (__VERIFIER_nondet_int()) {
        case 0: a = visit(a); break;
        case 1: b = visit(b); break;
        case 2: c = visit(c); break;
        case 3: d = visit(d); break;
        case 4: e = visit(e); break;
        default: f = f ? visit(f) : list;
        }
    }
    while (list) {
        struct node *n = list;
        list = list->next;
        free(n);
    }
    return 0;
}
