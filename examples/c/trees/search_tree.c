// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A binary search tree: insertion through a pointer to a pointer, search, freeing by rotation.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int key;
    struct node *left, *right;
};

static struct node *insert(struct node *root, int key) {
    struct node **place = &root;
    while (*place) {
        if (key == (*place)->key)
            return root;
        place = key < (*place)->key ? &(*place)->left : &(*place)->right;
    }
    *place = malloc(sizeof **place);
    if (*place) {
        (*place)->key = key;
        (*place)->left = (*place)->right = NULL;
    }
    return root;
}

static int contains(struct node *tree, int key) {
    while (tree && tree->key != key)
        tree = key < tree->key ? tree->left : tree->right;
    return tree != NULL;
}

static void destroy(struct node *tree) {
    while (tree) {
        if (tree->left) {
            struct node *left = tree->left;
            tree->left = left->right;
            left->right = tree;
            tree = left;
        } else {
            struct node *right = tree->right;
            free(tree);
            tree = right;
        }
    }
}

int main(void) {
    struct node *tree = NULL;
    while (__VERIFIER_nondet_int())
        tree = insert(tree, __VERIFIER_nondet_int());
    int found = contains(tree, __VERIFIER_nondet_int());
    destroy(tree);
    return found ? 0 : 1;
}
