// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A doubly linked list with data of its own in each node, of which only the end is known.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct data {
    int value;
};

struct node {
    struct node *next;
    struct node *prev;
    struct data *data;
};

int main(void) {
    struct node *end = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->data = malloc(sizeof *fresh->data);
        if (!fresh->data) {
            free(fresh);
            break;
        }
        fresh->next = NULL;
        fresh->prev = end;
        if (end)
            end->next = fresh;
        end = fresh;
    }
    while (end) {
        struct node *before = end->prev;
        free(end->data);
        free(end);
        end = before;
    }
    return 0;
}
