// RUN: kleene check --domain fesa
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A list of three nodes becomes one summary, and its first node is read (first row of FESA's Table 1).
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
};

int main(void) {
    struct node *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b), *c = calloc(1, sizeof *c);
    if (!a || !b || !c)
        abort();
    struct node *x = a;
    a->next = b;
    b->next = c;
    a = b = c = NULL;
    while (__VERIFIER_nondet_int()) {
    }
    struct node *second = x->next;
    free(x);
    while (second) {
        struct node *next = second->next;
        free(second);
        second = next;
    }
    return 0;
}
