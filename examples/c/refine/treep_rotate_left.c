// Table 1, treep_rotate_left: any tree with a right child is rotated to the left.
#include "treep.h"

int main(void) {
    struct tree *root = tree_any();
    if (root->right != NULL)
        rotate_left(&root);
    check_parents(root);
    return 0;
}
