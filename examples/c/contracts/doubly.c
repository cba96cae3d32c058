// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Doubly linked lists with contracts.
#include <stdlib.h>

struct item {
    struct item *next, *prev;
    int value;
};

/*@ requires dlist(l, next, prev); ensures dlist(\result, next, prev); */
static struct item *push(struct item *l, int value)
{
    struct item *n = malloc(sizeof(struct item));
    if (!n)
        return l;
    n->value = value;
    n->prev = NULL;
    n->next = l;
    if (l)
        l->prev = n;
    return n;
}

/*@ requires dlist(l, next, prev) && l != NULL; ensures dlist(l, next, prev); */
static void insert_after(struct item *l, int value)
{
    struct item *n = malloc(sizeof(struct item));
    if (!n)
        return;
    n->value = value;
    n->prev = l;
    n->next = l->next;
    if (l->next)
        l->next->prev = n;
    l->next = n;
}

/*@ requires dlist(l, next, prev); */
static void free_all(struct item *l)
{
    while (l) {
        struct item *next = l->next;
        free(l);
        l = next;
    }
}

int main(void)
{
    struct item *first = push(NULL, 1);
    if (first) {
        insert_after(first, 2);
        first->value = 3;
    }
    first = push(first, 0);
    free_all(first);
    return 0;
}
