// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Moves the first node of a list to its end; the thesis's 'rotate'.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

static struct node *rotate(struct node *first) {
    if (first == NULL || first->next == NULL)
        return first;
    struct node *last = first->next;
    while (last->next != NULL)
        last = last->next;
    struct node *second = first->next;
    last->next = first;
    first->next = NULL;
    return second;
}

int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (fresh == NULL)
            break;
        fresh->next = list;
        list = fresh;
    }
    list = rotate(list);
    while (list != NULL) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
