// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=FALSE unreach=TRUE assert=TRUE
// Appends to a list by recursion, and gives back the wrong node.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

static struct node *append(struct node *list, int value) {
    if (!list) {
        struct node *fresh = malloc(sizeof *fresh);
        if (fresh) {
            fresh->next = NULL;
            fresh->value = value;
        }
        return fresh;
    }
    list = append(list->next, value);
    return list;  // FAILS: memory_leak
}

static void destroy(struct node *list) {
    if (list) {
        destroy(list->next);
        free(list);
    }
}

int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int())
        list = append(list, __VERIFIER_nondet_int());
    destroy(list);
    return 0;
}
