// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Inserts numbers into an AVL tree. Each case tests the balance again. Only the attempt `outcomes and loads` proves it.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
typedef struct tree { int key; int height; struct tree *left, *right; } tree;
static int max(int a, int b) { return a > b ? a : b; }
static int height(tree *t) { return t ? t->height : 0; }
static int balance(tree *t) { return t ? height(t->left) - height(t->right) : 0; }
static tree *single(int key) {
    tree *t = malloc(sizeof *t);
    if (t == NULL) abort();
    t->key = key; t->left = NULL; t->right = NULL; t->height = 1;
    return t;
}
static tree *rotate_right(tree *y) {
    tree *x = y->left, *middle = x->right;
    x->right = y;
    y->left = middle;
    y->height = max(height(y->left), height(y->right)) + 1;
    x->height = max(height(x->left), height(x->right)) + 1;
    return x;
}
static tree *rotate_left(tree *x) {
    tree *y = x->right, *middle = y->left;
    y->left = x;
    x->right = middle;
    x->height = max(height(x->left), height(x->right)) + 1;
    y->height = max(height(y->left), height(y->right)) + 1;
    return y;
}
static tree *balanced(tree *t) {
    int b;
    t->height = 1 + max(height(t->left), height(t->right));
    b = balance(t);
    if (b > 1 && balance(t->left) >= 0) return rotate_right(t);
    if (b > 1 && balance(t->left) < 0) { t->left = rotate_left(t->left); return rotate_right(t); }
    if (b < -1 && balance(t->right) <= 0) return rotate_left(t);
    if (b < -1 && balance(t->right) > 0) { t->right = rotate_right(t->right); return rotate_left(t); }
    return t;
}
static tree *insert(tree *t, int key) {
    if (t == NULL) return single(key);
    if (key < t->key) t->left = insert(t->left, key);
    else if (key > t->key) t->right = insert(t->right, key);
    else return t;
    return balanced(t);
}
static void release(tree *t) { if (t) { release(t->left); release(t->right); free(t); } }
int main(void) {
    tree *root = NULL;
    while (__VERIFIER_nondet_int()) root = insert(root, __VERIFIER_nondet_int());
    release(root);
    return 0;
}
