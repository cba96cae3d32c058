/* One of the callers asks for 0 elements: the allocator returns NULL. */
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int value; };
static void *get(size_t size) {
    if (!size)
        return NULL;
    void *block = malloc(size);
    if (!block)
        abort();
    return block;
}
static struct node *make(size_t count) {
    size_t each = sizeof(struct node);
    struct node *made = get(count * each);
    made->next = NULL;
    return made;
}
int main(void) {
    struct node *one = make(1);
    free(one);
    if (__VERIFIER_nondet_int() == 3)
        free(make(0));
    return 0;
}
