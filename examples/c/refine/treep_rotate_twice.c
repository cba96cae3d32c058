// Like treep_rotate_left_right, with rotations that return the new top.
#include "treep.h"

static struct tree *left_of(struct tree *n) {
    struct tree *r = n->right;
    n->right = r->left;
    if (n->right != NULL)
        n->right->parent = n;
    r->left = n;
    r->parent = n->parent;
    n->parent = r;
    return r;
}

static struct tree *right_of(struct tree *n) {
    struct tree *l = n->left;
    n->left = l->right;
    if (n->left != NULL)
        n->left->parent = n;
    l->right = n;
    l->parent = n->parent;
    n->parent = l;
    return l;
}

int main(void) {
    struct tree *root = tree_any();
    if (root->left != NULL && root->left->right != NULL) {
        root->left = left_of(root->left);
        root = right_of(root);
    }
    check_parents(root);
    return 0;
}
