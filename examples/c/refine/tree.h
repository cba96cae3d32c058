/* Binary trees without parent pointers; a rotation takes the address of the pointer to the tree. */
#include <stdlib.h>
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

struct tree {
    int value;
    struct tree *left;
    struct tree *right;
};

static struct tree *tree_alloc(int value) {
    struct tree *t = malloc(sizeof *t);
    if (!t)
        exit(1);
    t->value = value;
    t->left = NULL;
    t->right = NULL;
    return t;
}

static void rotate_left(struct tree **t) {
    struct tree *right = (*t)->right;
    (*t)->right = right->left;
    right->left = *t;
    *t = right;
}

static void rotate_right(struct tree **t) {
    struct tree *left = (*t)->left;
    (*t)->left = left->right;
    left->right = *t;
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
                    break;
                }
                above = above->left;
            } else {
                if (above->right == NULL) {
                    above->right = n;
                    break;
                }
                above = above->right;
            }
        }
    }
    return root;
}

/* No node below `root` comes again when the tree is followed downwards, whatever the way. */
static void check_acyclic(struct tree *root) {
    struct tree *n = root;
    while (n != NULL && __VERIFIER_nondet_int())
        n = __VERIFIER_nondet_int() ? n->left : n->right;
    if (n != NULL) {
        struct tree *below = __VERIFIER_nondet_int() ? n->left : n->right;
        while (below != NULL) {
            assert(below != n);
            below = __VERIFIER_nondet_int() ? below->left : below->right;
        }
    }
}
