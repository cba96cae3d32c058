// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A list from the middle of which nodes are removed; it is emptied by its length.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

struct list {
    struct node *head;
    size_t length;
};

static void add(struct list *l, int v) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->value = v;
    n->next = l->head;
    l->head = n;
    l->length++;
}

static int discard(struct list *l, int v) {
    struct node *prev = NULL, *cur = l->head;
    while (cur && cur->value != v) {
        prev = cur;
        cur = cur->next;
    }
    if (!cur)
        return 0;
    if (prev)
        prev->next = cur->next;
    else
        l->head = cur->next;
    free(cur);
    l->length--;
    return 1;
}

int main(void) {
    struct list *l = malloc(sizeof *l);
    if (!l)
        return 1;
    l->head = NULL;
    l->length = 0;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            add(l, __VERIFIER_nondet_int());
        else
            discard(l, __VERIFIER_nondet_int());
    }
    while (l->length > 0) {
        struct node *n = l->head;
        l->head = n->next;
        free(n);
        l->length--;
    }
    free(l);
    return 0;
}
