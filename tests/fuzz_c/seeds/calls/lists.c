// Functions of doubly linked lists, called for two lists.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next, *prev; int v; };
static struct node *push(struct node *l) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        return l;
    n->v = 0;
    n->prev = NULL;
    n->next = l;
    if (l)
        l->prev = n;
    return n;
}
static struct node *remove_node(struct node *l, struct node *n) {
    if (n->next)
        n->next->prev = n->prev;
    if (n->prev)
        n->prev->next = n->next;
    else
        l = n->next;
    free(n);
    return l;
}
static struct node *some(struct node *l) {
    while (l && __VERIFIER_nondet_int())
        l = l->next;
    return l;
}
static void clear(struct node *l) {
    while (l)
        l = remove_node(l, l);
}
int main(void) {
    struct node *a = NULL, *b = NULL, *n;
    while (__VERIFIER_nondet_int()) {
        a = push(a);
        if (__VERIFIER_nondet_int())
            b = push(b);
        n = some(a);
        if (n)
            a = remove_node(a, n);
        n = some(b);
        if (n)
            b = remove_node(b, n);
    }
    clear(a);
    clear(b);
    return 0;
}
