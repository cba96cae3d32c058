// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// Removes the first node of a skip list from the lower level only, and walks along the upper one.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    struct node *fast;
};

int main(void) {
    struct node *list = NULL, *fast = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            abort();
        fresh->next = list;
        fresh->fast = NULL;
        list = fresh;
        if (__VERIFIER_nondet_int()) {
            fresh->fast = fast;
            fast = fresh;
        }
    }
    if (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    while (fast)
        fast = fast->fast;  // FAILS: dangling_dereference
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
