// Table 1, bintree_rotate_left: any tree with a right child is rotated to the left.
#include "tree.h"

int main(void) {
    struct tree *root = tree_any();
    if (root->right != NULL)
        rotate_left(&root);
    check_acyclic(root);
    return 0;
}
