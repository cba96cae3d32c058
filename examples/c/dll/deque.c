// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A double-ended queue in a struct on the stack: push at one end, pop at the other.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    struct node *prev;
};

struct deque {
    struct node *first;
    struct node *last;
};

int main(void) {
    struct deque d = {NULL, NULL};
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->prev = NULL;
        fresh->next = d.first;
        if (d.first)
            d.first->prev = fresh;
        else
            d.last = fresh;
        d.first = fresh;
    }
    while (d.last) {
        struct node *gone = d.last;
        d.last = gone->prev;
        if (d.last)
            d.last->next = NULL;
        else
            d.first = NULL;
        free(gone);
    }
    return 0;
}
