// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A top-down splay tree: what is smaller and larger hangs from a node on the stack. Links of the last nodes lead to nodes that
// are elsewhere by now, until they are overwritten. Only the attempt `moves` proves it.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *left, *right; int key; };
static struct node *splay(struct node *t, int key) {
    struct node header, *smaller = &header, *larger = &header, *child;
    if (!t) return NULL;
    header.left = header.right = NULL;
    for (;;) {
        if (key < t->key) {
            child = t->left;
            if (!child) break;
            if (key < child->key) {
                t->left = child->right; child->right = t; t = child;
                if (!t->left) break;
            }
            larger->left = t; larger = t; t = t->left;
        } else if (key > t->key) {
            child = t->right;
            if (!child) break;
            if (key > child->key) {
                t->right = child->left; child->left = t; t = child;
                if (!t->right) break;
            }
            smaller->right = t; smaller = t; t = t->right;
        } else break;
    }
    smaller->right = t->left; larger->left = t->right;
    t->left = header.right; t->right = header.left;
    return t;
}
static struct node *insert(struct node *t, int key) {
    struct node *n;
    t = splay(t, key);
    if (t && t->key == key) return t;
    n = malloc(sizeof *n);
    if (!n) return t;
    n->key = key;
    n->left = n->right = NULL;
    if (t && key < t->key) { n->left = t->left; n->right = t; t->left = NULL; }
    else if (t) { n->right = t->right; n->left = t; t->right = NULL; }
    return n;
}
static struct node *remove_root(struct node *t) {
    struct node *rest = t->left, *last;
    if (!rest) rest = t->right;
    else {
        for (last = rest; last->right;) last = last->right;
        last->right = t->right;
    }
    free(t);
    return rest;
}
int main(void) {
    struct node *t = NULL;
    while (__VERIFIER_nondet_int()) {
        int key = __VERIFIER_nondet_int();
        if (__VERIFIER_nondet_int()) t = insert(t, key);
        else { t = splay(t, key); if (t && t->key == key) t = remove_root(t); }
    }
    while (t) t = remove_root(t);
    return 0;
}
