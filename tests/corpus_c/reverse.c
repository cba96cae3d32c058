#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
typedef struct node { struct node *next; int data; } node_t;

static node_t *reverse(node_t *x) {
    node_t *y = NULL;
    while (x != NULL) {
        node_t *t = y;
        y = x;
        x = x->next;
        y->next = t;
    }
    return y;
}

int main(void) {
    node_t *list = NULL;
    for (int i = 0; i < 4 && __VERIFIER_nondet_int(); i++) {
        node_t *n = malloc(sizeof *n);
        n->data = i;
        n->next = list;
        list = n;
    }
    list = reverse(list);
    int expected = 0;
    for (node_t *n = list; n; n = n->next)
        assert(n->data == expected++);
    while (list) {
        node_t *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
