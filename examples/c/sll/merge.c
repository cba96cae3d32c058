// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Merges two lists in the order of their values; the thesis's 'merge'.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

static struct node *create(void) {
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

static struct node *merge(struct node *a, struct node *b) {
    struct node *merged = NULL, *last = NULL;
    while (a || b) {
        struct node *taken;
        if (!b || (a && a->value <= b->value)) {
            taken = a;
            a = a->next;
        } else {
            taken = b;
            b = b->next;
        }
        if (last)
            last->next = taken;
        else
            merged = taken;
        last = taken;
    }
    return merged;
}

int main(void) {
    struct node *a = create();
    struct node *b = create();
    struct node *list = merge(a, b);
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
