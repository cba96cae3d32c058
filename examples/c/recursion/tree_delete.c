// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Deletes a key from a binary search tree: a node with two children gets the key of the next one.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct tree {
    struct tree *left, *right;
    int key;
};

static struct tree *insert(struct tree *t, int key) {
    if (!t) {
        t = malloc(sizeof *t);
        if (!t)
            return NULL;
        t->left = t->right = NULL;
        t->key = key;
    } else if (key < t->key) {
        t->left = insert(t->left, key);
    } else {
        t->right = insert(t->right, key);
    }
    return t;
}

static struct tree *build(void) {
    struct tree *t = NULL;
    while (__VERIFIER_nondet_int())
        t = insert(t, __VERIFIER_nondet_int());
    return t;
}

static void destroy(struct tree *t) {
    if (!t)
        return;
    destroy(t->left);
    destroy(t->right);
    free(t);
}

static int smallest(const struct tree *t) {
    return t->left ? smallest(t->left) : t->key;
}

static struct tree *delete(struct tree *t, int key) {
    if (!t)
        return NULL;
    if (key < t->key) {
        t->left = delete(t->left, key);
    } else if (key > t->key) {
        t->right = delete(t->right, key);
    } else if (t->left && t->right) {
        t->key = smallest(t->right);
        t->right = delete(t->right, t->key);
    } else {
        struct tree *child = t->left ? t->left : t->right;
        free(t);
        return child;
    }
    return t;
}

int main(void) {
    struct tree *t = delete(build(), 3);
    destroy(t);
    return 0;
}
