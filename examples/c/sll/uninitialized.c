// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// The last node's next pointer is never set.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

int main(void) {
    struct node *list = malloc(sizeof *list);
    if (!list)
        return 1;
    list->value = 1;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->next = list;
        list = fresh;
    }
    while (list) {
        struct node *next = list->next;  // FAILS: uninitialized_pointer
        free(list);
        list = next;
    }
    return 0;
}
