// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// The formula asks for two lists without a common cell; the client passes a list and its own tail.
#include <stdlib.h>

struct node {
    struct node *next;
    int data;
};

/*@ requires A(v) !c[next](v) && A(v) !(r[a](v) & r[b](v)) && a != NULL;
    ensures A(v) !c[next](v) && A(v) (r[a](v) <-> old[r[a]](v) | old[r[b]](v));
    modifies next; */
static void append(struct node *a, struct node *b)
{
    while (a->next)
        a = a->next;
    a->next = b;
}

/*@ requires A(v) !c[next](v); ensures A(v) !old[r[l]](v); frees r[l](v); */
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
    struct node *x = NULL;
    for (int i = 0; i < 2; i++) {
        struct node *n = malloc(sizeof(struct node));
        if (!n)
            abort();
        n->next = x;
        n->data = i;
        x = n;
    }
    append(x, x->next);  // BROKEN: precondition
    free_all(x);
    return 0;
}
