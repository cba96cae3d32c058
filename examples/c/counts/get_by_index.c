// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// The element at an index that is less than the length of the list, and a loop that frees as many nodes as were counted.
#include <stdlib.h>

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

static int get(struct list *l, int k) {
    if (k < 0 || k >= l->len)
        return -1;
    struct node *c = l->head;
    for (int i = 0; i < k; i++)
        c = c->next;
    return c->value;
}

int main(void) {
    struct list *l = calloc(1, sizeof *l);
    if (!l)
        return 1;
    while (__VERIFIER_nondet_int())
        push(l, 1);
    get(l, __VERIFIER_nondet_int());
    int len = l->len;
    struct node *cur = l->head;
    while (len--) {
        struct node *next = cur->next;
        free(cur);
        cur = next;
    }
    free(l);
    return 0;
}
