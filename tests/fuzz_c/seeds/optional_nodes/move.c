#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct leaf { struct leaf *next; int v; };
struct node { struct node *next; struct leaf *todo, *done; };
static struct leaf *add(struct leaf *l) {
    struct leaf *n = malloc(sizeof *n);
    if (!n) return l;
    n->v = 0;
    n->next = l;
    return n;
}
static void drop(struct leaf *l) {
    while (l) {
        struct leaf *n = l->next;
        free(l);
        l = n;
    }
}
static void work(struct node *n) {
    struct leaf *x = n->todo;
    if (!x) return;
    n->todo = x->next;
    x->next = n->done;
    n->done = x;
}
static void step(struct node *l) {
    while (l) {
        work(l);
        if (l->done) l->done->v = 1;
        l = l->next;
    }
}
int main(void) {
    struct node *l = NULL, *t;
    while (__VERIFIER_nondet_int()) {
        t = malloc(sizeof *t);
        if (!t) break;
        t->todo = NULL;
        t->done = NULL;
        while (__VERIFIER_nondet_int()) t->todo = add(t->todo);
        t->next = l;
        l = t;
        step(l);
    }
    step(l);
    while (l) {
        t = l;
        l = t->next;
        drop(t->todo);
        drop(t->done);
        free(t);
    }
    return 0;
}
