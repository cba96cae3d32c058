// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Rotates a tree with parent pointers, as red-black trees do, and frees it on the way up.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct n {
    struct n *l, *r, *parent;
    int red;
};

static struct n *rotate_left(struct n *root, struct n *x) {
    struct n *y = x->r;
    if (!y)
        return root;
    x->r = y->l;
    if (y->l)
        y->l->parent = x;
    y->parent = x->parent;
    if (!x->parent)
        root = y;
    else if (x == x->parent->l)
        x->parent->l = y;
    else
        x->parent->r = y;
    y->l = x;
    x->parent = y;
    return root;
}

int main(void) {
    struct n *root = NULL;
    while (__VERIFIER_nondet_int()) {
        struct n *x = calloc(1, sizeof *x), *p = root;
        if (!x)
            break;
        if (!root) {
            root = x;
            continue;
        }
        while (p->l && p->r)
            p = __VERIFIER_nondet_int() ? p->l : p->r;
        x->parent = p;
        if (!p->l)
            p->l = x;
        else
            p->r = x;
    }
    if (root) {
        struct n *x = root;
        while (x->l && __VERIFIER_nondet_int())
            x = x->l;
        root = rotate_left(root, x);
    }
    struct n *t = root;
    while (t) {
        if (t->l)
            t = t->l;
        else if (t->r)
            t = t->r;
        else {
            struct n *p = t->parent;
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
