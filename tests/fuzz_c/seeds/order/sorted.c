// Sorted insertion; a walk asserts the order.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int key; };
int main(void) {
    struct node *l = NULL, *n, *at;
    while (__VERIFIER_nondet_int()) {
        n = malloc(sizeof *n);
        if (!n)
            break;
        n->key = __VERIFIER_nondet_int();
        if (!l || n->key <= l->key) {
            n->next = l;
            l = n;
        } else {
            at = l;
            while (at->next && at->next->key < n->key)
                at = at->next;
            n->next = at->next;
            at->next = n;
        }
    }
    for (n = l; n && n->next; n = n->next)
        assert(n->key <= n->next->key);
    while (l) {
        n = l;
        l = l->next;
        free(n);
    }
    return 0;
}
