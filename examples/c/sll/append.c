// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Builds a list in order, with a pointer to its last node.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

int main(void) {
    struct node *head = NULL, *last = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->next = NULL;
        if (last)
            last->next = fresh;
        else
            head = fresh;
        last = fresh;
    }
    while (head) {
        struct node *gone = head;
        head = head->next;
        free(gone);
    }
    return 0;
}
