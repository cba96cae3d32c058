// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=FALSE unreach=TRUE assert=TRUE
// A list in a global variable that is still there when the program ends: no leak, but no cleanup either.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
};

static struct node *registry;

static void add(void) {
    struct node *fresh = malloc(sizeof *fresh);
    if (!fresh)
        return;
    fresh->next = registry;
    registry = fresh;
}

int main(void) {
    while (__VERIFIER_nondet_int())
        add();
    return 0;  // FAILS: memory_leak
}
