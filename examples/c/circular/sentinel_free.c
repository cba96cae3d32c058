// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// Frees every node of a circular list, and the sentinel with them, which is a variable.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
};

int main(void) {
    struct node head;
    head.next = &head;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->next = head.next;
        head.next = fresh;
    }
    struct node *p = head.next;
    do {
        struct node *next = p->next;
        free(p);  // FAILS: invalid_free
        p = next;
    } while (p != &head);
    return 0;
}
