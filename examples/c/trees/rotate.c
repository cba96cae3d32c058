// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Rotates the root of a tree to the right, as balanced trees do.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct tree {
    struct tree *left, *right;
};

int main(void) {
    struct tree *root = NULL;
    while (__VERIFIER_nondet_int()) {
        struct tree *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->right = NULL;
        fresh->left = root;
        root = fresh;
    }
    if (root && root->left) {
        struct tree *pivot = root->left;
        root->left = pivot->right;
        pivot->right = root;
        root = pivot;
    }
    while (root) {
        struct tree *p = root, *above = NULL;
        while (p->left || p->right) {
            above = p;
            p = p->left ? p->left : p->right;
        }
        if (!above)
            root = NULL;
        else if (above->left == p)
            above->left = NULL;
        else
            above->right = NULL;
        free(p);
    }
    return 0;
}
