// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// Frees a list and reads the next pointer from the freed node.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->next = list;
        list = fresh;
    }
    while (list) {
        free(list);         // FAILS: memory_leak
        list = list->next;  // FAILS: dangling_dereference
    }
    return 0;
}
