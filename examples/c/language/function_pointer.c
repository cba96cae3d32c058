// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A list that is given a function to apply to every node.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

static void increment(struct node *p) { p->value++; }
static void reset(struct node *p) { p->value = 0; }

static void for_each(struct node *list, void (*apply)(struct node *)) {
    for (; list; list = list->next)
        apply(list);
}

int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = calloc(1, sizeof *fresh);
        if (!fresh)
            break;
        fresh->next = list;
        list = fresh;
    }
    for_each(list, __VERIFIER_nondet_int() ? increment : reset);
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
