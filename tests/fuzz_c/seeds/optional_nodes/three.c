#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct c { struct c *next; int v; };
struct b { struct b *next; struct c *cs; };
struct a { struct a *next; struct b *bs; };
static struct c *make_c(void) {
    struct c *l = NULL;
    while (__VERIFIER_nondet_int()) {
        struct c *n = malloc(sizeof *n);
        if (!n) return l;
        n->v = 0;
        n->next = l;
        l = n;
    }
    return l;
}
static struct b *make_b(void) {
    struct b *l = NULL;
    while (__VERIFIER_nondet_int()) {
        struct b *n = malloc(sizeof *n);
        if (!n) return l;
        n->cs = make_c();
        n->next = l;
        l = n;
    }
    return l;
}
static struct a *make_a(void) {
    struct a *l = NULL;
    while (__VERIFIER_nondet_int()) {
        struct a *n = malloc(sizeof *n);
        if (!n) return l;
        n->bs = make_b();
        n->next = l;
        l = n;
    }
    return l;
}
static void free_c(struct c *l) {
    while (l) {
        struct c *n = l->next;
        free(l);
        l = n;
    }
}
static void free_b(struct b *l) {
    while (l) {
        struct b *n = l->next;
        free_c(l->cs);
        free(l);
        l = n;
    }
}
static void free_a(struct a *l) {
    while (l) {
        struct a *n = l->next;
        free_b(l->bs);
        free(l);
        l = n;
    }
}
static void pop_c(struct b *b) {
    struct c *x = b->cs;
    if (x) {
        b->cs = x->next;
        free(x);
    }
}
static void trim(struct a *l) {
    for (; l; l = l->next)
        for (struct b *b = l->bs; b; b = b->next) pop_c(b);
}
int main(void) {
    struct a *l = make_a();
    trim(l);
    free_a(l);
    return 0;
}
