// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// An iterator with a direction over a doubly linked list that is emptied by its length.
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

struct iter {
    struct node *next;
    int forward;
};

static void append(struct list *l, int v) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->value = v;
    n->next = NULL;
    if (l->len) {
        n->prev = l->tail;
        l->tail->next = n;
    } else {
        n->prev = NULL;
        l->head = n;
    }
    l->tail = n;
    l->len++;
}

static struct iter *begin(struct list *l, int forward) {
    struct iter *it = malloc(sizeof *it);
    if (!it)
        abort();
    it->next = forward ? l->head : l->tail;
    it->forward = forward;
    return it;
}

static struct node *step(struct iter *it) {
    struct node *cur = it->next;
    if (cur)
        it->next = it->forward ? cur->next : cur->prev;
    return cur;
}

int main(void) {
    struct list *l = calloc(1, sizeof *l);
    if (!l)
        return 1;
    while (__VERIFIER_nondet_int())
        append(l, 1);
    struct iter *it = begin(l, __VERIFIER_nondet_int() != 0);
    struct node *n;
    int sum = 0;
    while ((n = step(it)))
        sum += n->value;
    free(it);
    while (l->len) {
        n = l->head;
        l->head = n->next;
        if (l->head)
            l->head->prev = NULL;
        else
            l->tail = NULL;
        free(n);
        l->len--;
    }
    free(l);
    return 0;
}
