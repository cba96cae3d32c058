// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// Removes nodes with the value of the one before them, and continues from the removed one.
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
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

int main(void) {
    struct node *list = build();
    struct node *here = list;
    while (here && here->next) {  // FAILS: dangling_dereference
        if (here->value == here->next->value) {
            struct node *second = here->next;
            here->next = second->next;
            free(second);
            here = second;
        } else {
            here = here->next;
        }
    }
    destroy(list);
    return 0;
}
