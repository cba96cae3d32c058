/* The values of a list are variables only, and the last one is freed. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; void *value; };
int main(void) {
    int one, two;
    struct node *list = NULL;
    while (__VERIFIER_nondet_int() > 0) {
        struct node *n = malloc(sizeof *n);
        if (n == NULL)
            break;
        n->value = list != NULL ? &two : &one;
        n->next = list;
        list = n;
    }
    while (list != NULL) {
        struct node *next = list->next;
        if (list->value == &one)
            free(list->value);
        free(list);
        list = next;
    }
    return 0;
}
