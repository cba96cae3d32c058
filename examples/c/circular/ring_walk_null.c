// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// Walks a list as if it were circular; it is not.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
};

int main(void) {
    struct node *head = malloc(sizeof *head);
    if (!head)
        return 0;
    head->next = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->next = head->next;
        head->next = fresh;
    }
    struct node *p = head->next;
    while (p != head)
        p = p->next;  // FAILS: null_dereference
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
    return 0;
}
