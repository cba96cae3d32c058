// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// The fiftieth node of a list is freed too early: only a long run shows it.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

int main(void) {
    struct node *list = NULL;
    int length = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->value = __VERIFIER_nondet_int() ? 1 : 2;
        fresh->next = list;
        list = fresh;
        length++;
        if (length == 50) {
            struct node *rest = list->next;
            free(list);
            list->value = 0;  // FAILS: dangling_dereference
            list = rest;
        }
    }
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
