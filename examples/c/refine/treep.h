/* Binary trees with parent pointers; a rotation takes the address of the pointer to the tree. */
#include <stdlib.h>
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

struct tree {
    int value;
    struct tree *left;
    struct tree *right;
    struct tree *parent;
};

static struct tree *tree_alloc(int value) {
    struct tree *t = malloc(sizeof *t);
    if (!t)
        exit(1);
    t->value = value;
    t->left = NULL;
    t->right = NULL;
    t->parent = NULL;
    return t;
}

static void rotate_left(struct tree **t) {
    struct tree *old = *t;
    struct tree *right = old->right;
    old->right = right->left;
    if (right->left != NULL)
        right->left->parent = old;
    right->left = old;
    right->parent = old->parent;
    old->parent = right;
    *t = right;
}

static void rotate_right(struct tree **t) {
    struct tree *old = *t;
    struct tree *left = old->left;
    old->left = left->right;
    if (left->right != NULL)
        left->right->parent = old;
    left->right = old;
    left->parent = old->parent;
    old->parent = left;
    *t = left;
}

static void rotate_left_right(struct tree **t) {
    rotate_left(&(*t)->left);
    rotate_right(t);
}

/* The client: any tree of one or more nodes. New nodes are put at any place where there is none. */
static struct tree *tree_any(void) {
    struct tree *root = tree_alloc(0);
    while (__VERIFIER_nondet_int()) {
        struct tree *above = root;
        struct tree *n = tree_alloc(__VERIFIER_nondet_int());
        for (;;) {
            if (__VERIFIER_nondet_int()) {
                if (above->left == NULL) {
                    above->left = n;
                    n->parent = above;
                    break;
                }
                above = above->left;
            } else {
                if (above->right == NULL) {
                    above->right = n;
                    n->parent = above;
                    break;
                }
                above = above->right;
            }
        }
    }
    return root;
}

/* Every child has its parent as parent. */
static void check_parents(struct tree *root) {
    struct tree *n = root;
    while (n != NULL) {
        if (n->left != NULL)
            assert(n->left->parent == n);
        if (n->right != NULL)
            assert(n->right->parent == n);
        n = __VERIFIER_nondet_int() ? n->left : n->right;
    }
}
