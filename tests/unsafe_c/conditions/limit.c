// The limit of the keys changes after the list was built: ghosts of `key < limit` that did not change with it proved this.
// unsafe: assert
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct item { int key; struct item *next; };
int main(void) {
    struct item *list = NULL;
    int limit = __VERIFIER_nondet_int();
    while (__VERIFIER_nondet_int()) {
        struct item *n = malloc(sizeof *n);
        if (!n) exit(1);
        n->key = __VERIFIER_nondet_int();
        if (n->key >= limit) exit(0);
        n->next = list;
        list = n;
    }
    if (__VERIFIER_nondet_int()) limit = __VERIFIER_nondet_int();
    for (struct item *p = list; p; p = p->next) assert(p->key < limit);
    return 0;
}
