// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// Searches a list and uses what it found without asking whether it found anything.
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
        fresh->value = __VERIFIER_nondet_int();
        fresh->next = list;
        list = fresh;
    }
    struct node *p = list;
    while (p && p->value != 7)
        p = p->next;
    p->value = 0;  // FAILS: null_dereference
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
