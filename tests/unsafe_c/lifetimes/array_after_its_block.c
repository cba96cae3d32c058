/* A list has a node whose data are in an array that has ended. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int **data; };
int main(void) {
    struct node *list = NULL;
    int value = 1, sum = 0;
    for (int i = 0; i < 3; i++) {
        int n = 2 + i;
        int *cells[n];
        cells[0] = &value;
        struct node *node = malloc(sizeof *node);
        if (node == NULL)
            continue;
        node->next = list;
        node->data = cells;
        list = node;
    }
    for (struct node *node = list; node != NULL; node = node->next)
        sum += *node->data[0];
    while (list != NULL) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return sum;
}
