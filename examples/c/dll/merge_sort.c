// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Merge sort by recursion. The first node of the second half leads back into the first half until the halves are merged.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int value;
    struct node *next;
    struct node *prev;
};

static struct node *second_half(struct node *list) {
    struct node *fast = list, *slow = list;
    while (fast->next && fast->next->next) {
        fast = fast->next->next;
        slow = slow->next;
    }
    struct node *half = slow->next;
    slow->next = NULL;
    return half;
}

static struct node *merge(struct node *a, struct node *b) {
    if (!a)
        return b;
    if (!b)
        return a;
    struct node *first = a->value <= b->value ? a : b;
    if (first == a)
        first->next = merge(a->next, b);
    else
        first->next = merge(a, b->next);
    first->next->prev = first;
    first->prev = NULL;
    return first;
}

static struct node *sort(struct node *list) {
    if (!list || !list->next)
        return list;
    struct node *half = second_half(list);
    list = sort(list);
    return merge(list, sort(half));
}

int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->value = __VERIFIER_nondet_int();
        fresh->prev = NULL;
        fresh->next = list;
        if (list)
            list->prev = fresh;
        list = fresh;
    }
    list = sort(list);
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
