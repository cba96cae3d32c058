// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A binary search tree: inserts by value, then frees leaf by leaf.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct tree {
    struct tree *left, *right;
    int key;
};

int main(void) {
    struct tree *root = NULL;
    while (__VERIFIER_nondet_int()) {
        struct tree *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->left = fresh->right = NULL;
        fresh->key = __VERIFIER_nondet_int();
        if (!root) {
            root = fresh;
            continue;
        }
        struct tree *p = root;
        for (;;) {
            if (fresh->key < p->key) {
                if (!p->left) {
                    p->left = fresh;
                    break;
                }
                p = p->left;
            } else {
                if (!p->right) {
                    p->right = fresh;
                    break;
                }
                p = p->right;
            }
        }
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
