// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Inserts behind as many nodes as an index says, which is at most the length of the list.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

struct list {
    struct node *head;
    size_t len;
};

static void insert(struct list *l, size_t at, int v) {
    if (at > l->len)
        return;
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->value = v;
    if (at == 0) {
        n->next = l->head;
        l->head = n;
    } else {
        struct node *p = l->head;
        for (size_t i = 1; i < at; i++)
            p = p->next;
        n->next = p->next;
        p->next = n;
    }
    l->len++;
}

int main(void) {
    struct list *l = malloc(sizeof *l);
    if (!l)
        return 1;
    l->head = NULL;
    l->len = 0;
    while (__VERIFIER_nondet_int())
        insert(l, (size_t)__VERIFIER_nondet_int(), 1);
    struct node *c = l->head;
    for (size_t i = 0; i < l->len; i++) {
        struct node *next = c->next;
        free(c);
        c = next;
    }
    free(l);
    return 0;
}
