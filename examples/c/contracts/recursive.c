// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Recursive functions: their own calls are by contract too.
#include <stdlib.h>

struct node {
    struct node *next;
    int data;
};

/*@ ensures list(\result); */
static struct node *create(int count)
{
    if (count <= 0)
        return NULL;
    struct node *n = malloc(sizeof(struct node));
    if (!n)
        return NULL;
    n->data = count;
    n->next = create(count - 1);
    return n;
}

/*@ requires list(a) && list(b); ensures list(\result); */
static struct node *merge(struct node *a, struct node *b)
{
    if (!a)
        return b;
    if (!b)
        return a;
    if (a->data <= b->data) {
        a->next = merge(a->next, b);
        return a;
    }
    b->next = merge(a, b->next);
    return b;
}

/*@ requires list(l); */
static void free_all(struct node *l)
{
    if (l) {
        free_all(l->next);
        free(l);
    }
}

int main(void)
{
    free_all(merge(create(5), create(7)));
    return 0;
}
