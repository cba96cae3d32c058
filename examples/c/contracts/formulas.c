// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Contracts as formulas: which cells a list has afterwards, which are new, which are gone. The client is proved from them alone.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int data;
};

/*@ requires list(l);
    ensures list(\result) && E(v) (\result(v) & new(v)) && A(v) (new(v) -> \result(v))
      && A(v, w) (\result(v) -> (next(v, w) <-> l(w)));
    modifies \nothing;
    allocates; */
static struct node *push(struct node *l, int data)
{
    struct node *n = malloc(sizeof(struct node));
    if (!n)
        abort();
    n->next = l;
    n->data = data;
    return n;
}

/*@ requires list(l);
    ensures list(\result) && A(v) (r[\result](v) <-> old[r[l]](v));
    modifies next; */
static struct node *reverse(struct node *l)
{
    struct node *reversed = NULL;
    while (l) {
        struct node *next = l->next;
        l->next = reversed;
        reversed = l;
        l = next;
    }
    return reversed;
}

/*@ requires list(a) && list(b);
    ensures list(\result) && A(v) (r[\result](v) <-> old[r[a]](v) | old[r[b]](v));
    modifies next; */
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

/*@ requires list(l) && l != NULL;
    ensures list(l) && A(v) (r[l](v) <-> old[r[l]](v) | new(v));
    modifies next;
    allocates; */
static void insert_after(struct node *l, int data)
{
    struct node *n = malloc(sizeof(struct node));
    if (!n)
        abort();
    n->data = data;
    n->next = l->next;
    l->next = n;
}

/*@ requires list(l) && l != NULL;
    ensures list(\result) && A(v) (r[\result](v) <-> old[r[l]](v)) && A(v) !old[l](v);
    modifies \nothing;
    frees l(v); */
static struct node *pop(struct node *l)
{
    struct node *next = l->next;
    free(l);
    return next;
}

/*@ requires list(l);
    ensures A(v) (\result(v) -> r[l](v));
    modifies \nothing; */
static struct node *find(struct node *l, int data)
{
    while (l && l->data != data)
        l = l->next;
    return l;
}

/*@ requires list(l);
    ensures A(v) !old[r[l]](v);
    frees r[l](v); */
static void free_all(struct node *l)
{
    while (l) {
        struct node *next = l->next;
        free(l);
        l = next;
    }
}

int main(void)
{
    struct node *x = NULL, *y = NULL;
    while (__VERIFIER_nondet_int())
        x = push(x, 1);
    while (__VERIFIER_nondet_int())
        y = push(y, 2);
    struct node *middle = find(x, 1);
    x = reverse(append(x, y));
    if (middle) // still a cell of the list, wherever it is now
        middle->data = 3;
    if (x) {
        insert_after(x, 4);
        x = pop(x);
    }
    free_all(x);
    return 0;
}
