// A rotation at any inner node of a tree with parent pointers.
#include "treep.h"

/* The right child of x takes the place of x; the root changes where x was the root. */
static void rotate(struct tree **root, struct tree *x) {
    struct tree *y = x->right;
    struct tree *above = x->parent;
    x->right = y->left;
    if (y->left != NULL)
        y->left->parent = x;
    y->parent = above;
    if (above == NULL)
        *root = y;
    else if (above->left == x)
        above->left = y;
    else
        above->right = y;
    y->left = x;
    x->parent = y;
}

int main(void) {
    struct tree *root = tree_any();
    struct tree *x = root;
    while (__VERIFIER_nondet_int()) {
        struct tree *next = __VERIFIER_nondet_int() ? x->left : x->right;
        if (next == NULL)
            break;
        x = next;
    }
    if (x->right != NULL)
        rotate(&root, x);
    check_parents(root);
    return 0;
}
