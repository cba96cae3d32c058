// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Counts the nodes of a list: there are as many as its length says.
#include <stdlib.h>
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

struct list {
    struct node *head;
    int len;
};

static void push(struct list *l, int v) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->value = v;
    n->next = l->head;
    l->head = n;
    l->len++;
}

static int count(const struct list *l) {
    int n = 0;
    for (struct node *c = l->head; c; c = c->next)
        n++;
    return n;
}

int main(void) {
    struct list l = {NULL, 0};
    while (__VERIFIER_nondet_int())
        push(&l, 1);
    assert(count(&l) == l.len);
    while (l.head) {
        struct node *n = l.head->next;
        free(l.head);
        l.head = n;
    }
    return 0;
}
