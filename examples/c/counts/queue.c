// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A queue whose length decides whether it is empty, in a struct on the heap.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

struct list {
    struct node *head, *tail;
    size_t len;
};

static struct list *list_new(void) {
    struct list *l = malloc(sizeof *l);
    if (!l)
        abort();
    l->head = l->tail = NULL;
    l->len = 0;
    return l;
}

static void list_push(struct list *l, int v) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->value = v;
    n->next = NULL;
    if (l->len == 0)
        l->head = l->tail = n;
    else {
        l->tail->next = n;
        l->tail = n;
    }
    l->len++;
}

static int list_pop(struct list *l) {
    struct node *n = l->head;
    int v = n->value;
    l->head = n->next;
    l->len--;
    if (l->len == 0)
        l->tail = NULL;
    free(n);
    return v;
}

int main(void) {
    struct list *l = list_new();
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            list_push(l, 3);
        else if (l->len > 0)
            list_pop(l);
    }
    while (l->len)
        list_pop(l);
    free(l);
    return 0;
}
