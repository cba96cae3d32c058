// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A search tree whose leaves, and the parent of whose root, are one node `nil` outside the heap. No link is NULL, so no
// search tests for it: many cells lead to one node, which leads to itself.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { int key; struct node *left, *right, *parent; };
static struct node nil = { 0, &nil, &nil, &nil };
static struct node *root = &nil;
static void insert(int key) {
    struct node *p = &nil, *x = root, *z;
    while (x != &nil) {
        p = x;
        if (key == x->key) return;
        x = key < x->key ? x->left : x->right;
    }
    z = malloc(sizeof *z);
    if (!z) return;
    z->key = key;
    z->left = z->right = &nil;
    z->parent = p;
    if (p == &nil) root = z;
    else if (key < p->key) p->left = z;
    else p->right = z;
}
static int find(int key) {
    struct node *x = root;
    nil.key = key;
    while (x->key != key) x = key < x->key ? x->left : x->right;
    return x != &nil;
}
static void clear(struct node *x) {
    if (x == &nil) return;
    clear(x->left);
    clear(x->right);
    free(x);
}
int main(void) {
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) insert(__VERIFIER_nondet_int());
        else find(__VERIFIER_nondet_int());
    }
    clear(root);
    return 0;
}
