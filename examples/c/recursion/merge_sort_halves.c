// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Merge sort in place: each call gets the address of the pointer to its half.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

static void split(struct node *list, struct node **front, struct node **back) {
    struct node *slow = list, *fast = list->next;
    while (fast) {
        fast = fast->next;
        if (fast) {
            slow = slow->next;
            fast = fast->next;
        }
    }
    *front = list;
    *back = slow->next;
    slow->next = NULL;
}

static struct node *merge(struct node *a, struct node *b) {
    struct node *first = NULL, **end = &first;
    while (a && b) {
        if (a->value <= b->value) {
            *end = a;
            a = a->next;
        } else {
            *end = b;
            b = b->next;
        }
        end = &(*end)->next;
    }
    *end = a ? a : b;
    return first;
}

static void sort(struct node **list) {
    struct node *front, *back;
    if (!*list || !(*list)->next)
        return;
    split(*list, &front, &back);
    sort(&front);
    sort(&back);
    *list = merge(front, back);
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
    sort(&list);
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
