/* A function returns its list where it fails, and NULL where it succeeds. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct list { int *item; };
static struct list *add(struct list *l, int *item) {
    if (l->item)
        return l;
    l->item = item;
    return NULL;
}
int main(void) {
    struct list *l = calloc(1, sizeof *l);
    if (!l)
        abort();
    while (__VERIFIER_nondet_int() > 2) {
        int *item = malloc(sizeof *item);
        if (!item)
            abort();
        *item = 0;
        if (!add(l, item))
            free(item);
    }
    if (l->item)
        *l->item = 1;
    free(l);
    return 0;
}
