// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Reverses a doubly linked list in place: the two pointers of every node are swapped.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    struct node *prev;
};

int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            abort();
        fresh->prev = NULL;
        fresh->next = list;
        if (list)
            list->prev = fresh;
        list = fresh;
    }
    struct node *last = NULL;
    for (struct node *node = list; node; node = node->prev) {
        struct node *next = node->next;
        node->next = node->prev;
        node->prev = next;
        last = node;
    }
    list = last;
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
