/* A comparison is made again after its number was written through another pointer: the outcome may be another. */
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int key;
    struct node *next;
};

int main(void)
{
    int key = __VERIFIER_nondet_int(), below = 0;
    struct node *p = malloc(sizeof *p);
    if (!p)
        return 0;
    p->key = __VERIFIER_nondet_int();
    p->next = p;
    if (key < p->key)
        below = 1;
    p->next->key = __VERIFIER_nondet_int();
    if (key < p->key)
        assert(below == 1);
    free(p);
    return 0;
}
