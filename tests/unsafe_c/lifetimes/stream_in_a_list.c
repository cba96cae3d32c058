/* The stream of the first node is closed twice: by its own loop, and with the list. */
#include <stdio.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; FILE *file; };
int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int() > 0) {
        struct node *node = malloc(sizeof *node);
        if (node == NULL)
            break;
        node->next = list;
        node->file = fopen("/dev/null", "r");
        list = node;
    }
    if (list != NULL && list->file != NULL)
        fclose(list->file);
    while (list != NULL) {
        struct node *next = list->next;
        if (list->file != NULL)
            fclose(list->file);
        free(list);
        list = next;
    }
    return 0;
}
