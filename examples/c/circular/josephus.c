// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// People in a circle; the count continues from anywhere, and the next one leaves, until one is left.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct person {
    struct person *next;
};

int main(void) {
    struct person *here = malloc(sizeof *here);
    if (!here)
        return 1;
    here->next = here;
    while (__VERIFIER_nondet_int()) {
        struct person *other = malloc(sizeof *other);
        if (!other)
            break;
        other->next = here->next;
        here->next = other;
    }
    while (here->next != here) {
        while (__VERIFIER_nondet_int())
            here = here->next;
        struct person *leaves = here->next;
        here->next = leaves->next;
        free(leaves);
    }
    free(here);
    return 0;
}
