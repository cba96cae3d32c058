// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=FALSE unreach=TRUE assert=TRUE
// Unlinks a node and forgets to free it.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

static struct node *delete(struct node *list, int value) {
    struct node *before = NULL, *p = list;
    while (p && p->value != value) {
        before = p;
        p = p->next;
    }
    if (p) {
        if (before)
            before->next = p->next;
        else
            list = p->next;
    }
    return list;  // FAILS: memory_leak
}

int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->value = __VERIFIER_nondet_int();
        fresh->next = list;
        list = fresh;
    }
    list = delete(list, __VERIFIER_nondet_int());
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
