// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Reverses a list from its end: the rest first, then the first node behind it.
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

static struct node *reverse(struct node *list) {
    if (!list || !list->next)
        return list;
    struct node *rest = reverse(list->next);
    list->next->next = list;
    list->next = NULL;
    return rest;
}

int main(void) {
    struct node *list = reverse(build());
    destroy(list);
    return 0;
}
