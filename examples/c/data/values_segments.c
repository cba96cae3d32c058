// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Any number of nodes with 1, then any number with 2, then one with 3; read back in that order.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

static struct node *make(int value) {
    struct node *fresh = malloc(sizeof *fresh);
    if (!fresh)
        abort();
    fresh->value = value;
    fresh->next = NULL;
    return fresh;
}

int main(void) {
    struct node *list = make(3);
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = make(2);
        fresh->next = list;
        list = fresh;
    }
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = make(1);
        fresh->next = list;
        list = fresh;
    }
    struct node *p = list;
    while (p->value == 1)
        p = p->next;
    while (p->value == 2)
        p = p->next;
    assert(p->value == 3);
    assert(p->next == NULL);
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
