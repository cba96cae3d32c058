// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Unlinks the first or the last node of a doubly linked list as long as its size is not 0.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *prev, *next;
    int value;
};

struct list {
    struct node *head, *tail;
    size_t size;
};

static void add_last(struct list *l, int v) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->value = v;
    n->next = NULL;
    n->prev = NULL;
    if (l->size == 0) {
        l->head = n;
        l->tail = n;
    } else {
        n->prev = l->tail;
        l->tail->next = n;
        l->tail = n;
    }
    l->size++;
}

static void unlink_node(struct list *l, struct node *n) {
    if (n->prev)
        n->prev->next = n->next;
    if (!n->prev)
        l->head = n->next;
    if (!n->next)
        l->tail = n->prev;
    if (n->next)
        n->next->prev = n->prev;
    free(n);
    l->size--;
}

int main(void) {
    struct list *l = calloc(1, sizeof *l);
    if (!l)
        return 1;
    while (__VERIFIER_nondet_int()) {
        add_last(l, 1);
        if (l->size > 0 && __VERIFIER_nondet_int()) {
            if (__VERIFIER_nondet_int())
                unlink_node(l, l->tail);
            else
                unlink_node(l, l->head);
        }
    }
    while (l->size > 0)
        unlink_node(l, l->head);
    free(l);
    return 0;
}
