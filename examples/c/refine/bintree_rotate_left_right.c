// Table 1, bintree_rotate_left_right: the left child is rotated to the left, then the tree to the right.
#include "tree.h"

int main(void) {
    struct tree *root = tree_any();
    if (root->left != NULL && root->left->right != NULL)
        rotate_left_right(&root);
    check_acyclic(root);
    return 0;
}
