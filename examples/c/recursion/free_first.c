// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// Frees a node before it asks it for the rest of the list.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

static struct node *build(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->value = __VERIFIER_nondet_int();
        fresh->next = list;
        list = fresh;
    }
    return list;
}

static void destroy(struct node *list) {
    if (!list)
        return;
    struct node *rest = list->next;
    free(list);
    if (rest)
        destroy(list->next);  // FAILS: dangling_dereference
}

int main(void) {
    destroy(build());
    return 0;
}
