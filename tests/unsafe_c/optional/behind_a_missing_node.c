// Every second node of a list may be missing. The walk takes a node behind the one that it is at for certain: whether
// it exists is not known from the nodes that exist elsewhere.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int kind;
    struct node *next;
};

static struct node *push(struct node *l, int kind) {
    struct node *n = malloc(sizeof *n);
    if (!n) abort();
    n->kind = kind;
    n->next = l;
    return n;
}

int main(void) {
    struct node *l = NULL;
    while (__VERIFIER_nondet_int() > 0) {
        if (__VERIFIER_nondet_int() > 0) l = push(l, 2);
        l = push(l, __VERIFIER_nondet_int() > 0);
    }
    for (struct node *p = l; p; p = p->next)
        if (p->kind == 1) p->next->kind = 2; /* BUG: the last node may be of this kind */
    while (l) {
        struct node *t = l->next;
        free(l);
        l = t;
    }
    return 0;
}
