// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Appends to a list by recursion, and frees it by recursion.
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
    list->next = append(list->next, value);
    return list;
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
