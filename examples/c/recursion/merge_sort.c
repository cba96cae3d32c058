// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Merge sort by three recursive functions: what is proved is that no node is lost.
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

static struct node *merge(struct node *a, struct node *b) {
    if (!a)
        return b;
    if (!b)
        return a;
    if (a->value <= b->value) {
        a->next = merge(a->next, b);
        return a;
    }
    b->next = merge(a, b->next);
    return b;
}

static struct node *split(struct node *list) {
    if (!list || !list->next)
        return NULL;
    struct node *second = list->next;
    list->next = second->next;
    second->next = split(second->next);
    return second;
}

static struct node *sort(struct node *list) {
    if (!list || !list->next)
        return list;
    struct node *half = split(list);
    return merge(sort(list), sort(half));
}

int main(void) {
    struct node *list = sort(build());
    destroy(list);
    return 0;
}
