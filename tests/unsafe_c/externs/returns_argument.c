// Unknown code returns its argument.
#include <stdlib.h>
extern void reach_error(void);
struct node { int value; };
struct node *same(struct node *node);
#ifdef WORST_CASE
struct node *same(struct node *node) { return node; }
#endif

int main(void) {
    struct node *node = malloc(sizeof *node);
    if (node == NULL)
        return 0;
    if (same(node) == node)
        reach_error();
    free(node);
    return 0;
}
