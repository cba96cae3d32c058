// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Inserts numbers into an AVL tree: that rotations find a child follows from heights. Only the attempt `outcomes and loads` proves it.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { int key; int height; struct node *left, *right; };
static int height(struct node *n) { return n ? n->height : 0; }
static void update(struct node *n) {
    int l = height(n->left), r = height(n->right);
    n->height = 1 + (l > r ? l : r);
}
static struct node *right(struct node *y) {
    struct node *x = y->left;
    y->left = x->right;
    x->right = y;
    update(y); update(x);
    return x;
}
static struct node *left(struct node *x) {
    struct node *y = x->right;
    x->right = y->left;
    y->left = x;
    update(x); update(y);
    return y;
}
static int balance(struct node *n) { return n ? height(n->left) - height(n->right) : 0; }
static struct node *insert(struct node *t, int key) {
    int b;
    if (!t) {
        t = malloc(sizeof *t);
        if (!t) return NULL;
        t->key = key; t->height = 1; t->left = t->right = NULL;
        return t;
    }
    if (key < t->key) t->left = insert(t->left, key);
    else t->right = insert(t->right, key);
    update(t);
    b = balance(t);
    if (b > 1) {
        if (balance(t->left) < 0) t->left = left(t->left);
        return right(t);
    }
    if (b < -1) {
        if (balance(t->right) > 0) t->right = right(t->right);
        return left(t);
    }
    return t;
}
static void clear(struct node *t) { if (t) { clear(t->left); clear(t->right); free(t); } }
int main(void) {
    struct node *t = NULL;
    while (__VERIFIER_nondet_int()) t = insert(t, __VERIFIER_nondet_int());
    clear(t);
    return 0;
}
