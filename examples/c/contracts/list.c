// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// List functions with contracts, and a client that is proved from the contracts alone.
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

/*@ requires list(l); ensures list(\result); */
static struct node *reverse(struct node *l)
{
    struct node *done = NULL;
    while (l) {
        struct node *next = l->next;
        l->next = done;
        done = l;
        l = next;
    }
    return done;
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

/*@ requires list(l); ensures list(l); */
static int length(struct node *l)
{
    int count = 0;
    for (; l; l = l->next)
        count++;
    return count;
}

/*@ requires list(l); */
static void free_all(struct node *l)
{
    while (l) {
        struct node *next = l->next;
        free(l);
        l = next;
    }
}

int __VERIFIER_nondet_int(void);

int main(void)
{
    struct node *a = NULL;
    struct node *b = push(NULL, 1);
    while (__VERIFIER_nondet_int())
        a = push(a, 2);
    a = reverse(a);
    int n = length(a);
    a = append(a, b);
    if (a)
        a->data = n;
    a = reverse(a);
    free_all(a);
    return 0;
}
