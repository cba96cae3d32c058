// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Inserts nodes into a sorted list; the links on the way are written again.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

static void destroy(struct node *list) {
    if (!list)
        return;
    destroy(list->next);
    free(list);
}

static struct node *insert(struct node *list, struct node *fresh) {
    if (!list || list->value >= fresh->value) {
        fresh->next = list;
        return fresh;
    }
    list->next = insert(list->next, fresh);
    return list;
}

int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->value = __VERIFIER_nondet_int();
        list = insert(list, fresh);
    }
    destroy(list);
    return 0;
}
