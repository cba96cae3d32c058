// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A list that is empty if the function that returns its size returns 0.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
#include <stdbool.h>

struct node {
    struct node *next;
    void *item;
};

struct list {
    struct node *head;
    size_t size;
};
static size_t list_size(const struct list *l) { return l->size; }
static bool list_empty(const struct list *l) { return list_size(l) == 0; }

static void list_add(struct list *l, void *item) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->item = item;
    n->next = l->head;
    l->head = n;
    l->size++;
}

static void *list_take(struct list *l) {
    if (list_empty(l))
        return NULL;
    struct node *n = l->head;
    void *item = n->item;
    l->head = n->next;
    l->size--;
    free(n);
    return item;
}

int main(void) {
    struct list *l = malloc(sizeof *l);
    if (!l)
        return 1;
    l->size = 0;
    l->head = NULL;
    while (__VERIFIER_nondet_int()) {
        int *x = malloc(sizeof *x);
        if (!x)
        abort();
        list_add(l, x);
    }
    while (!list_empty(l))
        free(list_take(l));
    free(l);
    return 0;
}
