// A function does something else at its second call, and on a list that another variable holds too.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node {
    int mark;
    struct node *next;
};
static int calls;
static struct node *shared;
static struct node *change(struct node *list) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        exit(0);
    calls++;
    n->mark = 0;
    n->next = list;
    while (list) {
        if (calls == 2 && list == shared)
            list->mark = 1;
        list = list->next;
    }
    return n;
}
static struct node *twice(struct node *list) {
    list = change(list);
    shared = list;
    return change(list);
}
int main(void) {
    struct node *list = twice(NULL);
    struct node *other = twice(NULL);
    assert(!list->next->mark || !other);
    return 0;
}
