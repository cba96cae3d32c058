// Table 1, bintree_rotate_right: any tree with a left child is rotated to the right.
#include "tree.h"

int main(void) {
    struct tree *root = tree_any();
    if (root->left != NULL)
        rotate_right(&root);
    check_acyclic(root);
    return 0;
}
