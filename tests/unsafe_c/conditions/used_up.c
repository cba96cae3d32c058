// No more is used than there is, but for a chunk whose size is made smaller after it was used.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct chunk {
    struct chunk *next;
    int size, used;
};
int main(void) {
    struct chunk *list = NULL;
    while (__VERIFIER_nondet_int() > 0) {
        struct chunk *n = malloc(sizeof *n);
        if (!n)
            exit(0);
        n->size = __VERIFIER_nondet_int();
        if (n->size < 0)
            n->size = 0;
        n->used = 0;
        n->next = list;
        list = n;
    }
    for (struct chunk *p = list; p; p = p->next) {
        while (__VERIFIER_nondet_int() > 0 && p->used < p->size)
            p->used++;
        if (p->size == 3)
            p->size--;
    }
    for (struct chunk *p = list; p; p = p->next)
        assert(p->used <= p->size);
    return 0;
}
