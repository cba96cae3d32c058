// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=FALSE unreach=TRUE assert=TRUE
// A reversal with two lines swapped: the formula says that all cells are kept, and all but the first are lost.
#include <stdlib.h>

struct node {
    struct node *next;
    int data;
};

/*@ requires list(l);
    ensures list(\result) && A(v) (r[\result](v) <-> old[r[l]](v)); */
static struct node *reverse(struct node *l)
{
    struct node *reversed = NULL;
    while (l) {
        l->next = reversed;  // FAILS: memory_leak
        struct node *next = l->next;
        reversed = l;
        l = next;
    }
    return reversed;  // BROKEN: postcondition
}

int main(void)
{
    struct node *x = NULL;
    for (int i = 0; i < 2; i++) {
        struct node *n = malloc(sizeof(struct node));
        if (!n)
            abort();
        n->next = x;
        n->data = i;
        x = n;
    }
    free(reverse(x));
    return 0;
}
