// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=FALSE unreach=TRUE assert=TRUE
// A function that should free a list, and frees its first cell only.
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

/*@ requires list(l); */
static void free_all(struct node *l)
{
    free(l);  // FAILS: memory_leak  // BROKEN: memory_leak
}

int main(void)
{
    free_all(push(push(NULL, 1), 2));
    return 0;
}
