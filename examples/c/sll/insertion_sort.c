// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Insertion sort: what is proved is that the list stays a list and that no node is lost.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

static struct node *sort(struct node *list) {
    struct node *sorted = NULL;
    while (list) {
        struct node *taken = list;
        list = list->next;
        if (!sorted || taken->value <= sorted->value) {
            taken->next = sorted;
            sorted = taken;
        } else {
            struct node *p = sorted;
            while (p->next && p->next->value < taken->value)
                p = p->next;
            taken->next = p->next;
            p->next = taken;
        }
    }
    return sorted;
}

int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (fresh == NULL)
            break;
        fresh->value = __VERIFIER_nondet_int();
        fresh->next = list;
        list = fresh;
    }
    list = sort(list);
    while (list != NULL) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
