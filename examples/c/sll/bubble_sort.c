// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Bubble sort by relinking nodes: the list stays a list and no node is lost.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

static struct node *sort(struct node *list) {
    int swapped = 1;
    while (swapped) {
        struct node *before = NULL, *p = list;
        swapped = 0;
        while (p && p->next) {
            struct node *q = p->next;
            if (p->value > q->value) {
                p->next = q->next;
                q->next = p;
                if (before)
                    before->next = q;
                else
                    list = q;
                before = q;
                swapped = 1;
            } else {
                before = p;
                p = q;
            }
        }
    }
    return list;
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
