// RUN: kleene check --domain fesa
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Frees a search tree in the order of its keys: the leftmost node first.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct tree {
    struct tree *left, *right;
    int key;
};

static struct tree *insert(struct tree *root, int key) {
    struct tree *fresh = malloc(sizeof *fresh);
    if (!fresh)
        return root;
    fresh->left = fresh->right = NULL;
    fresh->key = key;
    if (!root)
        return fresh;
    struct tree *t = root;
    while (1) {
        struct tree **link = key < t->key ? &t->left : &t->right;
        if (!*link) {
            *link = fresh;
            return root;
        }
        t = *link;
    }
}

int main(void) {
    struct tree *root = NULL;
    while (__VERIFIER_nondet_int())
        root = insert(root, __VERIFIER_nondet_int());
    while (root) {
        if (!root->left) {
            struct tree *right = root->right;
            free(root);
            root = right;
        } else {
            struct tree *above = root;
            while (above->left->left)
                above = above->left;
            struct tree *smallest = above->left;
            above->left = smallest->right;
            free(smallest);
        }
    }
    return 0;
}
