// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A queue with its two ends in a block of its own: put at the end, get from the front.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int v;
    struct node *next;
};

struct list {
    struct node *head;
    struct node *tail;
    int size;
};

static struct list *list_new(void) {
    struct list *l = malloc(sizeof *l);
    if (!l)
        abort();
    l->head = l->tail = NULL;
    l->size = 0;
    return l;
}

static void list_push(struct list *l, int v) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->v = v;
    n->next = NULL;
    if (l->tail)
        l->tail->next = n;
    else
        l->head = n;
    l->tail = n;
    l->size++;
}

static int list_pop(struct list *l) {
    struct node *n = l->head;
    int v;
    if (!n)
        return -1;
    l->head = n->next;
    if (!l->head)
        l->tail = NULL;
    v = n->v;
    free(n);
    l->size--;
    return v;
}

static void list_free(struct list *l) {
    while (l->head)
        list_pop(l);
    free(l);
}

int main(void) {
    struct list *l = list_new();
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            list_push(l, __VERIFIER_nondet_int());
        else
            list_pop(l);
    }
    list_free(l);
    return 0;
}
