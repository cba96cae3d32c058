// RUN: kleene check --domain fesa
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// The same for a doubly linked list of any length.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next, *prev;
};

int main(void) {
    struct node *x = calloc(1, sizeof *x), *y = x;
    if (!x)
        return 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = calloc(1, sizeof *n);
        if (!n)
            break;
        y->next = n;
        n->prev = y;
        y = n;
    }
    while (x) {
        struct node *z = x;
        x = x->next;
        if (x)
            x->prev = NULL;
        free(z);
    }
    return 0;
}
