// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Rings by contract: cells are added behind the first one, and taken out again until none is left.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct link {
    struct link *next;
    int data;
};

/*@ requires ring(r); ensures ring(\result) && \result != NULL; */
static struct link *add(struct link *r, int data)
{
    struct link *l = malloc(sizeof(struct link));
    if (!l)
        abort();
    l->data = data;
    if (!r) {
        l->next = l;
        return l;
    }
    l->next = r->next;
    r->next = l;
    return r;
}

/*@ requires ring(r) && r != NULL; ensures ring(\result); */
static struct link *drop(struct link *r)
{
    struct link *l = r->next;
    if (l == r) {
        free(r);
        return NULL;
    }
    r->next = l->next;
    free(l);
    return r;
}

int main(void)
{
    struct link *r = NULL;
    while (__VERIFIER_nondet_int())
        r = add(r, __VERIFIER_nondet_int());
    while (r)
        r = drop(r);
    return 0;
}
