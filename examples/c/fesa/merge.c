// RUN: kleene check --domain fesa
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Two sorted lists become one sorted list: 0 and 1 stand for the keys, and the ghost of a summary has keys, too.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node {
    int key;
    struct node *next;
};
static struct node *sorted(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        int key = __VERIFIER_nondet_int();
        if (list && key > list->key) continue;
        struct node *n = malloc(sizeof *n);
        if (!n) abort();
        n->key = key;
        n->next = list;
        list = n;
    }
    return list;
}
static struct node *merge(struct node *a, struct node *b) {
    struct node *result = NULL, **link = &result;
    while (a && b) {
        struct node **least = a->key <= b->key ? &a : &b;
        struct node *m = *least;
        *least = m->next;
        *link = m;
        link = &m->next;
    }
    *link = a ? a : b;
    return result;
}
int main(void) {
    struct node *list = merge(sorted(), sorted());
    for (struct node *p = list; p && p->next; p = p->next) assert(p->key <= p->next->key);
    while (list) {
        struct node *n = list->next;
        free(list);
        list = n;
    }
    return 0;
}
