/* A list has a node whose data are in an array that has ended. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int **data; };
static int value = 1;
static void fill(int **cells, int n, int *with) {
    for (int i = 0; i < n; i++)
        cells[i] = with;
}
int main(void) {
    struct node *list = NULL;
    int sum = 0, n = 40;
    for (int i = 0; i < 3; i++) {
        int *cells[n];
        fill(cells, n, &value);
        struct node *node = malloc(sizeof *node);
        if (node == NULL)
            continue;
        node->next = list;
        node->data = cells;
        list = node;
    }
    {
        int *others[n];
        fill(others, n, NULL);
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
