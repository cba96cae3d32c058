// RUN: kleene check --domain fesa
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Builds a list at its end and frees it from the front: Fig. 1 and Fig. 4 of the FESA paper.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
};

static struct node *new_node(void) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->next = NULL;
    return n;
}

int main(void) {
    struct node *x = new_node(), *y = x;
    while (__VERIFIER_nondet_int()) {
        y->next = new_node();
        y = y->next;
    }
    do {
        struct node *z = x;
        x = x->next;
        free(z);
    } while (x);
    return 0;
}
