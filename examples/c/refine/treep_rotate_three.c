// Three trees, each rotated its own way: the most refined shape class tells too many heaps apart to finish, refinement
// finds that it need not.
#include "treep.h"

int main(void) {
    struct tree *first = tree_any();
    struct tree *second = tree_any();
    struct tree *third = tree_any();
    if (first->right != NULL)
        rotate_left(&first);
    if (second->left != NULL)
        rotate_right(&second);
    if (third->left != NULL && third->left->right != NULL)
        rotate_left_right(&third);
    check_parents(first);
    check_parents(second);
    check_parents(third);
    return 0;
}
