// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Two functions that call each other free every other node each.
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

static void odd(struct node *list);

static void even(struct node *list) {
    if (list) {
        odd(list->next);
        free(list);
    }
}

static void odd(struct node *list) {
    if (list) {
        even(list->next);
        free(list);
    }
}

int main(void) {
    even(build());
    return 0;
}
