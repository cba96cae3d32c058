// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A circular doubly linked list whose sentinel is a variable: no case distinctions at all.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    struct node *prev;
};

int main(void) {
    struct node head;
    head.next = &head;
    head.prev = &head;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->next = head.next;
        fresh->prev = &head;
        head.next->prev = fresh;
        head.next = fresh;
    }
    while (head.next != &head) {
        struct node *gone = head.next;
        gone->prev->next = gone->next;
        gone->next->prev = gone->prev;
        free(gone);
    }
    return 0;
}
