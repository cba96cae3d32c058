// RUN: kleene check --timeout 120
// SLOW
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Inserts numbers into an AVL tree and removes them: the least node of a subtree takes the place of the one that is
// removed. Until its links are overwritten, they lead to nodes that are elsewhere. Only the attempt `moves, outcomes and loads` proves it.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { int key, height; struct node *left, *right; };
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
static struct node *balance(struct node *n) {
    update(n);
    if (height(n->left) > height(n->right) + 1) {
        if (height(n->left->left) < height(n->left->right)) n->left = left(n->left);
        return right(n);
    }
    if (height(n->right) > height(n->left) + 1) {
        if (height(n->right->right) < height(n->right->left)) n->right = right(n->right);
        return left(n);
    }
    return n;
}
static struct node *insert(struct node *n, int key) {
    if (!n) {
        n = malloc(sizeof *n);
        if (!n) return NULL;
        n->key = key; n->height = 1; n->left = n->right = NULL;
        return n;
    }
    if (key < n->key) n->left = insert(n->left, key);
    else if (key > n->key) n->right = insert(n->right, key);
    return balance(n);
}
static struct node *take_least(struct node *n, struct node **least) {
    if (!n->left) { *least = n; return n->right; }
    n->left = take_least(n->left, least);
    return balance(n);
}
static struct node *erase(struct node *n, int key) {
    struct node *l, *r, *least;
    if (!n) return NULL;
    if (key < n->key) { n->left = erase(n->left, key); return balance(n); }
    if (key > n->key) { n->right = erase(n->right, key); return balance(n); }
    l = n->left; r = n->right;
    free(n);
    if (!r) return l;
    r = take_least(r, &least);
    least->right = r;
    least->left = l;
    return balance(least);
}
static void clear(struct node *n) { if (n) { clear(n->left); clear(n->right); free(n); } }
int main(void) {
    struct node *t = NULL;
    while (__VERIFIER_nondet_int()) {
        int key = __VERIFIER_nondet_int();
        if (__VERIFIER_nondet_int()) t = insert(t, key);
        else t = erase(t, key);
    }
    clear(t);
    return 0;
}
