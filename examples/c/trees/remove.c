// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Inserts into a search tree and removes from it: a node with two children gets the value of its
// successor.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct t {
    int k;
    struct t *l, *r;
};

static struct t *insert(struct t *root, int k) {
    struct t *n = malloc(sizeof *n), *p = root;
    if (!n)
        return root;
    n->k = k;
    n->l = n->r = NULL;
    if (!root)
        return n;
    while (1) {
        if (k < p->k) {
            if (!p->l) {
                p->l = n;
                break;
            }
            p = p->l;
        } else {
            if (!p->r) {
                p->r = n;
                break;
            }
            p = p->r;
        }
    }
    return root;
}

static struct t *delete(struct t *root, int k) {
    struct t *p = NULL, *x = root;
    while (x && x->k != k) {
        p = x;
        x = k < x->k ? x->l : x->r;
    }
    if (!x)
        return root;
    if (x->l && x->r) {
        struct t *sp = x, *s = x->r;
        while (s->l) {
            sp = s;
            s = s->l;
        }
        x->k = s->k;
        p = sp;
        x = s;
    }
    struct t *c = x->l ? x->l : x->r;
    if (!p)
        root = c;
    else if (p->l == x)
        p->l = c;
    else
        p->r = c;
    free(x);
    return root;
}

int main(void) {
    struct t *root = NULL;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            root = insert(root, __VERIFIER_nondet_int());
        else
            root = delete(root, __VERIFIER_nondet_int());
    }
    while (root) {
        if (!root->l) {
            struct t *r = root->r;
            free(root);
            root = r;
        } else {
            struct t *l = root->l;
            root->l = l->r;
            l->r = root;
            root = l;
        }
    }
    return 0;
}
