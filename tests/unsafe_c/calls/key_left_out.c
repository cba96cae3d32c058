// The keys of the nodes multiply structures, and one of them matters.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node {
    int key;
    struct node *next;
};
static struct node *add(struct node *list, int key) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        exit(0);
    n->key = key;
    n->next = list;
    return n;
}
int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int() > 0) {
        list = add(list, 1);
        if (__VERIFIER_nondet_int() == 3)
            list = add(list, 2);
        list = add(list, 3);
        list = add(list, 4);
    }
    while (list) {
        assert(list->key != 2);
        list = list->next;
    }
    return 0;
}
