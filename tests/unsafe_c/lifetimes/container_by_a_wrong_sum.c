/* The element is found by a sum with the negated offset of another member: what is freed is no block. */
#include <stddef.h>
#include <stdlib.h>
struct link { struct link *next; };
struct item { long value; long other; struct link link; };
int main(void) {
    struct item *made = malloc(sizeof *made);
    if (!made)
        abort();
    made->link.next = NULL;
    struct link *p = &made->link;
    struct item *found = (struct item *) (-offsetof(struct item, other) + (char *) p);
    found->value = 1;
    free(found);
    return 0;
}
