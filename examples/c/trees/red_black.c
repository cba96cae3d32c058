// RUN: kleene check --timeout 200
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Insertion with recolouring and rotations along the way up, as in red-black trees; freed on the
// way up too.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct n {
    struct n *l, *r, *p;
    int red;
};
static struct n *root;

static void left(struct n *x) {
    struct n *y = x->r;
    x->r = y->l;
    if (y->l)
        y->l->p = x;
    y->p = x->p;
    if (!x->p)
        root = y;
    else if (x == x->p->l)
        x->p->l = y;
    else
        x->p->r = y;
    y->l = x;
    x->p = y;
}

static void right(struct n *x) {
    struct n *y = x->l;
    x->l = y->r;
    if (y->r)
        y->r->p = x;
    y->p = x->p;
    if (!x->p)
        root = y;
    else if (x == x->p->r)
        x->p->r = y;
    else
        x->p->l = y;
    y->r = x;
    x->p = y;
}

static void insert(void) {
    struct n *z = calloc(1, sizeof *z), *p = root;
    if (!z)
        abort();
    if (!root) {
        root = z;
        return;
    }
    for (;;) {
        if (__VERIFIER_nondet_int()) {
            if (!p->l) {
                p->l = z;
                break;
            }
            p = p->l;
        } else {
            if (!p->r) {
                p->r = z;
                break;
            }
            p = p->r;
        }
    }
    z->p = p;
    z->red = 1;
    while (z != root && z->p && z->p->red) {
        if (__VERIFIER_nondet_int()) {
            z->p->red = 0;
            z = z->p;
        } else if (z == z->p->r) {
            z = z->p;
            left(z);
        } else {
            right(z->p);
        }
    }
    root->red = 0;
}

int main(void) {
    while (__VERIFIER_nondet_int())
        insert();
    struct n *t = root;
    while (t) {
        if (t->l)
            t = t->l;
        else if (t->r)
            t = t->r;
        else {
            struct n *p = t->p;
            if (p) {
                if (p->l == t)
                    p->l = NULL;
                else
                    p->r = NULL;
            }
            free(t);
            t = p;
        }
    }
    return 0;
}
