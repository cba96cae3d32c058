// A rotation at any node of a tree with parent pointers: the parents form a cycle in between.
#include "treep.h"

static struct tree *rotate_left_at(struct tree *root, struct tree *n) {
    struct tree *right = n->right;
    struct tree *up = n->parent;
    n->right = right->left;
    if (right->left != NULL)
        right->left->parent = n;
    right->left = n;
    n->parent = right;
    right->parent = up;
    if (up == NULL)
        return right;
    if (up->left == n)
        up->left = right;
    else
        up->right = right;
    return root;
}

int main(void) {
    struct tree *root = tree_any();
    struct tree *n = root;
    while (__VERIFIER_nondet_int()) {
        struct tree *child = __VERIFIER_nondet_int() ? n->left : n->right;
        if (child != NULL)
            n = child;
    }
    if (n->right != NULL)
        root = rotate_left_at(root, n);
    check_parents(root);
    return 0;
}
