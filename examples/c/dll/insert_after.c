// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Inserts a node behind any node of a doubly linked list; the back pointers stay right.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    struct node *prev;
};

static struct node *new_node(void) {
    struct node *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        abort();
    return fresh;
}

int main(void) {
    struct node *list = new_node();
    while (__VERIFIER_nondet_int()) {
        struct node *p = list;
        while (p->next && __VERIFIER_nondet_int())
            p = p->next;
        struct node *fresh = new_node();
        fresh->next = p->next;
        fresh->prev = p;
        if (p->next)
            p->next->prev = fresh;
        p->next = fresh;
        if (fresh->next)
            assert(fresh->next->prev == fresh);
    }
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
