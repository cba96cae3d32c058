// Field predicates with variables: all keys are below a limit, all tags are the owner's, and no number is above the greatest.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct item {
    int key, tag;
    struct item *next;
};
static struct item *add(struct item *list, int key, int tag) {
    struct item *n = malloc(sizeof *n);
    if (!n) exit(1);
    n->key = key;
    n->tag = tag;
    n->next = list;
    return n;
}
int main(void) {
    struct item *list = NULL;
    int limit = __VERIFIER_nondet_int(), owner = __VERIFIER_nondet_int();
    while (__VERIFIER_nondet_int()) {
        int key = __VERIFIER_nondet_int();
        if (key < limit) list = add(list, key, owner);
    }
    for (struct item *p = list; p; p = p->next) assert(p->key < limit);
    for (struct item *p = list; p; p = p->next) assert(p->tag == owner);
    int greatest = limit;
    for (struct item *p = list; p; p = p->next)
        if (p->key > greatest) greatest = p->key;
    for (struct item *p = list; p; p = p->next) assert(p->key <= greatest);
    return 0;
}
