// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Walks as many nodes as an index says that is counted down, and frees each first node before the list moves on.
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

static int get(struct list *l, int at) {
    struct node *p = l->head;
    if (at < 0 || at >= l->len)
        return -1;
    while (at-- > 0)
        p = p->next;
    return p->value;
}

int main(void) {
    struct list *l = calloc(1, sizeof *l);
    if (!l)
        return 1;
    while (__VERIFIER_nondet_int())
        push(l, 1);
    get(l, __VERIFIER_nondet_int());
    while (l->len > 0) {
        struct node *next = l->head->next;
        free(l->head);
        l->head = next;
        l->len--;
    }
    free(l);
    return 0;
}
