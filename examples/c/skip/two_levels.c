// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A sorted skip list of two levels between a first and a last node: values are inserted, and all nodes freed.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int value;
    struct node *next;
    struct node *fast;
};

static struct node *new_node(int value) {
    struct node *fresh = malloc(sizeof *fresh);
    if (!fresh)
        abort();
    fresh->value = value;
    fresh->next = NULL;
    fresh->fast = NULL;
    return fresh;
}

static void insert(struct node *first, struct node *last, int value) {
    struct node *above = first;
    while (above->fast != last && above->fast->value < value)
        above = above->fast;
    struct node *before = above;
    while (before->next != above->fast && before->next->value < value)
        before = before->next;
    struct node *fresh = new_node(value);
    fresh->next = before->next;
    before->next = fresh;
    if (__VERIFIER_nondet_int()) {
        fresh->fast = above->fast;
        above->fast = fresh;
    }
}

int main(void) {
    struct node *first = new_node(0);
    struct node *last = new_node(0);
    first->next = first->fast = last;
    while (__VERIFIER_nondet_int())
        insert(first, last, __VERIFIER_nondet_int());
    while (first) {
        struct node *next = first->next;
        free(first);
        first = next;
    }
    return 0;
}
