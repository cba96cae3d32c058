// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A list whose header with the count of its nodes is a part of another struct.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

struct list {
    struct node *first;
    struct node *last;
    unsigned count;
};

struct app {
    int id;
    struct list items;
};

static void append(struct list *l, int v) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->value = v;
    n->next = NULL;
    if (l->count > 0)
        l->last->next = n;
    else
        l->first = n;
    l->last = n;
    l->count += 1;
}

static void clear(struct list *l) {
    while (l->count > 0) {
        struct node *n = l->first;
        l->first = n->next;
        l->count -= 1;
        free(n);
    }
    l->last = NULL;
}

int main(void) {
    struct app *a = malloc(sizeof *a);
    if (!a)
        return 1;
    a->id = 7;
    a->items.first = a->items.last = NULL;
    a->items.count = 0;
    while (__VERIFIER_nondet_int()) {
        append(&a->items, 1);
        if (__VERIFIER_nondet_int())
            clear(&a->items);
    }
    clear(&a->items);
    free(a);
    return 0;
}
