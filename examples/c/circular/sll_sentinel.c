// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A list with a first node that carries no value, so that insertion needs no special case.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

int main(void) {
    struct node first = {NULL, 0};
    while (__VERIFIER_nondet_int()) {
        struct node *p = &first;
        while (p->next && __VERIFIER_nondet_int())
            p = p->next;
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->value = 1;
        fresh->next = p->next;
        p->next = fresh;
    }
    while (first.next) {
        struct node *gone = first.next;
        first.next = gone->next;
        free(gone);
    }
    return 0;
}
