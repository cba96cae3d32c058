// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Removes any one node from a doubly linked list: the node alone is enough to unlink it.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    struct node *prev;
    int value;
};

static struct node *unlink_node(struct node *list, struct node *p) {
    if (p->next)
        p->next->prev = p->prev;
    if (p->prev)
        p->prev->next = p->next;
    else
        list = p->next;
    free(p);
    return list;
}

int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->prev = NULL;
        fresh->next = list;
        if (list)
            list->prev = fresh;
        list = fresh;
    }
    struct node *p = list;
    while (p && __VERIFIER_nondet_int())
        p = p->next;
    if (p)
        list = unlink_node(list, p);
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
