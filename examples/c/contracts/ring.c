// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A function whose contract promises a list, and that makes a ring of one cell. The program itself is safe.
#include <stdlib.h>

struct node {
    struct node *next;
    int data;
};

/*@ ensures list(\result); */
static struct node *one(int data)
{
    struct node *n = malloc(sizeof(struct node));
    if (!n)
        return NULL;
    n->next = n;
    n->data = data;
    return n;  // BROKEN: postcondition
}

int main(void)
{
    struct node *a = one(1);
    free(a);
    return 0;
}
