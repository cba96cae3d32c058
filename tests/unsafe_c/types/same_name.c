// Two types with a member of the same name: what a cast stores through one is read through the other.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct item {
    struct item *next;
};
struct cell {
    struct cell *next, *prev;
};
int main(void) {
    struct item *items = NULL;
    struct cell *cells = NULL;
    while (__VERIFIER_nondet_int() > 0) {
        struct cell *c = malloc(sizeof *c);
        struct item *i = malloc(sizeof *i);
        if (!c || !i)
            exit(0);
        c->next = cells;
        c->prev = NULL;
        cells = c;
        i->next = items;
        items = i;
    }
    if (items && cells)
        items->next = (struct item *)cells;
    if (items && items->next)
        assert(items->next != (struct item *)cells);
    return 0;
}
