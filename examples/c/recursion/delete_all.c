// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Removes every node with a value, from the end of the list to its front.
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
    destroy(list->next);
    free(list);
}

static struct node *without(struct node *list, int value) {
    if (!list)
        return NULL;
    list->next = without(list->next, value);
    if (list->value != value)
        return list;
    struct node *rest = list->next;
    free(list);
    return rest;
}

int main(void) {
    struct node *list = without(build(), 3);
    destroy(list);
    return 0;
}
