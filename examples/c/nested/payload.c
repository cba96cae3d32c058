// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Every node of a list owns a block of its own.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct item {
    int weight;
};

struct node {
    struct node *next;
    struct item *item;
};

int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->item = malloc(sizeof *fresh->item);
        if (!fresh->item) {
            free(fresh);
            break;
        }
        fresh->item->weight = 1;
        fresh->next = list;
        list = fresh;
    }
    while (list) {
        struct node *next = list->next;
        free(list->item);
        free(list);
        list = next;
    }
    return 0;
}
