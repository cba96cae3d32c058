/* The values of a list are variables only, and one of them has ended. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; void *value; };
static struct node *push(struct node *list, void *value) {
    struct node *n = malloc(sizeof *n);
    if (n == NULL)
        return list;
    n->value = value;
    n->next = list;
    return n;
}
int main(void) {
    int kept = 1, sum = 0;
    struct node *list = NULL;
    while (__VERIFIER_nondet_int() > 0) {
        list = push(list, &kept);
        if (__VERIFIER_nondet_int() > 4) {
            int inner = 2;
            list = push(list, &inner);
        }
    }
    for (struct node *n = list; n != NULL; n = n->next)
        sum += *(int *)n->value;
    while (list != NULL) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return sum & 1;
}
