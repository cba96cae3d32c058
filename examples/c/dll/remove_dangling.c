// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// Removes a node from a doubly linked list and forgets the back pointer of the node behind it.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    struct node *prev;
};

int main(void) {
    struct node *list = NULL, *last = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->next = NULL;
        fresh->prev = last;
        if (last)
            last->next = fresh;
        else
            list = fresh;
        last = fresh;
    }
    if (list && list->next && list->next->next) {
        struct node *second = list->next;
        list->next = second->next;
        free(second);
    }
    while (last) {
        struct node *before = last->prev;  // FAILS: dangling_dereference
        free(last);
        last = before;
    }
    return 0;
}
