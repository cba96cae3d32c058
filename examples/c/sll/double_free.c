// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// Frees a node that was found, and later the whole list with the node still in it.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

int main(void) {
    struct node *list = NULL, *marked = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->next = NULL;
        if (list)
            fresh->next = list;
        list = fresh;
        if (__VERIFIER_nondet_int() == 3)
            marked = fresh;
    }
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    free(marked);  // FAILS: double_free
    return 0;
}
