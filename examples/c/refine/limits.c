// Field predicates with variables: all keys are below a limit, and a second list has the keys that are not.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct item {
    int key;
    struct item *next;
};
int main(void) {
    struct item *below = NULL, *above = NULL;
    int limit = __VERIFIER_nondet_int();
    while (__VERIFIER_nondet_int()) {
        struct item *n = malloc(sizeof *n);
        if (!n) exit(1);
        n->key = __VERIFIER_nondet_int();
        if (n->key < limit) {
            n->next = below;
            below = n;
        } else {
            n->next = above;
            above = n;
        }
    }
    for (struct item *p = below; p; p = p->next) assert(p->key < limit);
    for (struct item *p = above; p; p = p->next) assert(p->key >= limit);
    return 0;
}
