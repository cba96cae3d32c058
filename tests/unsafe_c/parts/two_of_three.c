// The lists are not connected, but what is known of one says something about the others: it is not what is asserted.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node {
    struct node *next;
};
static struct node *push(struct node *list) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        exit(0);
    n->next = list;
    return n;
}
int main(void) {
    struct node *a = NULL, *b = NULL, *c = NULL;
    int used = 0;
    while (__VERIFIER_nondet_int() > 0) {
        a = push(a);
        if (__VERIFIER_nondet_int() > 0)
            b = push(b);
        else
            c = push(c);
        used = 1;
    }
    assert(!used || (b && c));
    return 0;
}
