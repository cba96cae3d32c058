// RUN: kleene check --timeout 200
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A sorted skip list of three levels: values are inserted on one, two or three of them, and all nodes freed.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int value;
    struct node *next, *fast, *express;
};

int main(void)
{
    struct node *head = calloc(1, sizeof *head);
    if (!head)
        return 0;
    while (__VERIFIER_nondet_int()) {
        int value = __VERIFIER_nondet_int();
        struct node *a = head;
        while (a->express && a->express->value < value)
            a = a->express;
        struct node *b = a;
        while (b->fast && b->fast->value < value)
            b = b->fast;
        struct node *c = b;
        while (c->next && c->next->value < value)
            c = c->next;
        struct node *n = malloc(sizeof *n);
        if (!n)
            break;
        n->value = value;
        n->fast = n->express = NULL;
        n->next = c->next;
        c->next = n;
        if (__VERIFIER_nondet_int()) {
            n->fast = b->fast;
            b->fast = n;
            if (__VERIFIER_nondet_int()) {
                n->express = a->express;
                a->express = n;
            }
        }
    }
    while (head) {
        struct node *n = head->next;
        free(head);
        head = n;
    }
    return 0;
}
