// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A doubly linked list with both ends and a length, released by its length.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *prev, *next;
    int value;
};

struct list {
    struct node *head, *tail;
    unsigned long len;
};

static void add_head(struct list *l, int v) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->value = v;
    if (l->len == 0) {
        l->head = l->tail = n;
        n->prev = n->next = NULL;
    } else {
        n->prev = NULL;
        n->next = l->head;
        l->head->prev = n;
        l->head = n;
    }
    l->len++;
}

static void add_tail(struct list *l, int v) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->value = v;
    if (l->len == 0) {
        l->head = l->tail = n;
        n->prev = n->next = NULL;
    } else {
        n->prev = l->tail;
        n->next = NULL;
        l->tail->next = n;
        l->tail = n;
    }
    l->len++;
}

static void release(struct list *l) {
    unsigned long len = l->len;
    struct node *current = l->head, *next;
    while (len--) {
        next = current->next;
        free(current);
        current = next;
    }
    free(l);
}

int main(void) {
    struct list *l = malloc(sizeof *l);
    if (!l)
        return 1;
    l->head = l->tail = NULL;
    l->len = 0;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            add_head(l, 1);
        else
            add_tail(l, 2);
    }
    release(l);
    return 0;
}
