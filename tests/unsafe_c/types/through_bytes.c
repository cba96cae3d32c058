// Two types of the same size: a block that is made for one becomes an element of the list of the other.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct left {
    struct left *next;
    struct left *other;
};
struct right {
    struct right *up;
    struct right *down;
};
int main(void) {
    struct left *l = malloc(sizeof *l);
    struct right *r = malloc(sizeof *r);
    if (!l || !r)
        exit(0);
    l->next = l->other = NULL;
    r->up = r->down = NULL;
    void *any = __VERIFIER_nondet_int() > 0 ? (void *)l : (void *)r;
    struct right *changed = any;
    changed->down = changed;
    assert(l->other == NULL);
    return 0;
}
