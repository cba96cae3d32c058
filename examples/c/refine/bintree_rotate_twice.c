// Like bintree_rotate_left_right, with rotations that return the new top.
#include "tree.h"

static struct tree *left_of(struct tree *n) {
    struct tree *r = n->right;
    n->right = r->left;
    r->left = n;
    return r;
}

static struct tree *right_of(struct tree *n) {
    struct tree *l = n->left;
    n->left = l->right;
    l->right = n;
    return l;
}

int main(void) {
    struct tree *root = tree_any();
    if (root->left != NULL && root->left->right != NULL) {
        root->left = left_of(root->left);
        root = right_of(root);
    }
    check_acyclic(root);
    return 0;
}
