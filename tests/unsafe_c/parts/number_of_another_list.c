// Each list is analysed by itself, but a number in one of them decides what is done with another one.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node {
    struct node *next;
    int key;
};
struct header {
    struct node *a, *b, *c;
};
static struct node *push(struct node *list, int key) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        exit(0);
    n->next = list;
    n->key = key;
    return n;
}
int main(void) {
    struct header *h = malloc(sizeof *h);
    if (!h)
        exit(0);
    h->a = h->b = h->c = NULL;
    while (__VERIFIER_nondet_int() > 0) {
        h->a = push(h->a, 1);
        h->c = push(h->c, 2);
    }
    if (!h->a || h->a->key == 1)
        h->b = push(h->b, 3);
    if (h->a && h->a->key == 1)
        h->b->next = h->b;
    assert(!h->b || h->b->next != h->b);
    return 0;
}
