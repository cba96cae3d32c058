// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A list that frees its data by a function of its own, in a loop from 0 to its length.
#include <stdlib.h>
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    void *data;
};

struct list {
    struct node *head;
    int len;
    void (*release)(void *);
};
static void drop(void *p) { free(p); }

static struct list *make(void (*release)(void *)) {
    struct list *l = malloc(sizeof *l);
    if (!l)
        abort();
    l->head = NULL;
    l->len = 0;
    l->release = release;
    return l;
}

static void push(struct list *l, void *d) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->data = d;
    n->next = l->head;
    l->head = n;
    l->len++;
}

static void destroy(struct list *l) {
    for (int i = 0; i < l->len; i++) {
        struct node *n = l->head;
        l->head = n->next;
        if (l->release)
            l->release(n->data);
        free(n);
    }
    free(l);
}

int main(void) {
    struct list *l = make(drop);
    while (__VERIFIER_nondet_int()) {
        int *x = malloc(sizeof *x);
        if (!x)
        abort();
        push(l, x);
    }
    assert((l->len == 0) == (l->head == NULL));
    destroy(l);
    return 0;
}
