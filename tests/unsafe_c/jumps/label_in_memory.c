#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; void *then; };
int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int() > 0) {
        struct node *n = malloc(sizeof *n);
        n->next = list;
        n->then = __VERIFIER_nondet_int() == 2 ? &&bad : &&good;
        list = n;
    }
    if (!list) return 0;
    goto *list->then;
good:
    return 0;
bad:
    assert(0);
}
