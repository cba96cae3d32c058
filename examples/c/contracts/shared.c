// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// Appends a list to itself: the contract of append asks for two lists that share nothing.
#include <stdlib.h>

struct node {
    struct node *next;
    int data;
};

/*@ requires list(l); ensures list(\result) && \result != NULL; */
static struct node *push(struct node *l, int data)
{
    struct node *n = malloc(sizeof(struct node));
    if (!n)
        abort();
    n->next = l;
    n->data = data;
    return n;
}

/*@ requires list(a) && list(b); ensures list(\result); */
static struct node *append(struct node *a, struct node *b)
{
    if (!a)
        return b;
    struct node *last = a;
    while (last->next)
        last = last->next;
    last->next = b;
    return a;
}

/*@ requires list(l); */
static void free_all(struct node *l)
{
    while (l) {
        struct node *next = l->next;  // FAILS: dangling_dereference
        free(l);
        l = next;
    }
}

int main(void)
{
    struct node *a = push(push(NULL, 1), 2);
    a = append(a, a);  // BROKEN: precondition
    free_all(a);
    return 0;
}
