// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// SLOW: proved in about 7 s on an idle machine
// A tree with parent pointers: grown at random leaves, freed on the way up.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct tree {
    struct tree *left, *right, *parent;
};

int main(void) {
    struct tree *root = calloc(1, sizeof *root);
    if (!root)
        return 0;
    while (__VERIFIER_nondet_int()) {
        struct tree *p = root;
        while (p->left && p->right)
            p = __VERIFIER_nondet_int() ? p->left : p->right;
        struct tree *fresh = calloc(1, sizeof *fresh);
        if (!fresh)
            break;
        fresh->parent = p;
        if (!p->left)
            p->left = fresh;
        else
            p->right = fresh;
    }
    struct tree *p = root;
    while (p) {
        if (p->left) {
            p = p->left;
        } else if (p->right) {
            p = p->right;
        } else {
            struct tree *parent = p->parent;
            if (parent) {
                if (parent->left == p)
                    parent->left = NULL;
                else
                    parent->right = NULL;
            }
            free(p);
            p = parent;
        }
    }
    return 0;
}
