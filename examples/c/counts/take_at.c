// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Removes the node at a signed index. The first node is there if the index is 0 and less than the length.
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

static int take(struct list *l, int at) {
    struct node *n;
    int value;
    if (at < 0 || at >= l->len)
        return -1;
    if (at == 0) {
        n = l->head;
        l->head = n->next;
    } else {
        struct node *p = l->head;
        for (int i = 0; i < at - 1; i++)
            p = p->next;
        n = p->next;
        p->next = n->next;
    }
    value = n->value;
    free(n);
    l->len--;
    return value;
}

int main(void) {
    struct list *l = malloc(sizeof *l);
    if (!l)
        return 1;
    l->head = NULL;
    l->len = 0;
    while (__VERIFIER_nondet_int())
        if (__VERIFIER_nondet_int())
            push(l, 1);
        else
            take(l, __VERIFIER_nondet_int());
    while (l->len > 0)
        take(l, 0);
    free(l);
    return 0;
}
