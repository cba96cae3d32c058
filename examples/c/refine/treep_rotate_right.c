// Table 1, treep_rotate_right: any tree with a left child is rotated to the right.
#include "treep.h"

int main(void) {
    struct tree *root = tree_any();
    if (root->left != NULL)
        rotate_right(&root);
    check_parents(root);
    return 0;
}
