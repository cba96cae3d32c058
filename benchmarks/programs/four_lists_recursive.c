// RUN: kleene check --timeout 20
// Four lists, freed by a recursive function: calls get the part of the heap that they reach.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };

static struct node *push(struct node *list) {
    struct node *node = malloc(sizeof *node);
    if (!node) abort();
    node->next = list;
    return node;
}

static void drop(struct node *list) {
    if (list) {
        drop(list->next);
        free(list);
    }
}

int main(void) {
    struct node *list0 = NULL, *list1 = NULL, *list2 = NULL, *list3 = NULL;
    while (__VERIFIER_nondet_int()) {
        int choice = __VERIFIER_nondet_int();
        if (choice == 0) list0 = push(list0);
        if (choice == 1) list1 = push(list1);
        if (choice == 2) list2 = push(list2);
        if (choice == 3) list3 = push(list3);
    }
    drop(list0);
    drop(list1);
    drop(list2);
    drop(list3);
    return 0;
}
