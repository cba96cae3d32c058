/* The attribute frees the node again that the list still has. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
static void finish(struct node **node) { free(*node); }
int main(void) {
    struct node *list = NULL;
    for (int i = 0; i < 2; i++) {
        struct node *node __attribute__((cleanup(finish))) = malloc(sizeof *node);
        if (node == NULL)
            return 0;
        node->next = list;
        list = node;
        if (i == 1)
            break;
    }
    return list->next != NULL;
}
