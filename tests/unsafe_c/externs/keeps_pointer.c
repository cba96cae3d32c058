// Unknown code keeps a pointer and changes the block later.
#include <stdlib.h>
extern void reach_error(void);
struct node { struct node *next; int value; };
void remember(struct node *node);
void later(void);
#ifdef WORST_CASE
static struct node *kept;
void remember(struct node *node) { kept = node; }
void later(void) { kept->value = 7; }
#endif

int main(void) {
    struct node *node = malloc(sizeof *node);
    if (node == NULL)
        return 0;
    node->next = NULL;
    node->value = 1;
    remember(node);
    remember(node);
    later();
    if (node->value != 1)
        reach_error();
    free(node);
    return 0;
}
