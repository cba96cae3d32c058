// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Removes the node at an index that is less than the length of the list.
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

static int remove_at(struct list *l, int at) {
    if (at < 0 || at >= l->len)
        return 0;
    struct node *gone;
    if (at == 0) {
        gone = l->head;
        l->head = gone->next;
    } else {
        struct node *p = l->head;
        for (int i = 0; i < at - 1; i++)
            p = p->next;
        gone = p->next;
        p->next = gone->next;
    }
    free(gone);
    l->len--;
    return 1;
}

int main(void) {
    struct list *l = calloc(1, sizeof *l);
    if (!l)
        return 1;
    while (__VERIFIER_nondet_int()) {
        push(l, 1);
        remove_at(l, __VERIFIER_nondet_int());
    }
    while (l->len > 0)
        remove_at(l, 0);
    free(l);
    return 0;
}
