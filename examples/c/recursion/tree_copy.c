// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Copies a tree and mirrors the copy.
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

static struct tree *copy(const struct tree *t) {
    if (!t)
        return NULL;
    struct tree *fresh = malloc(sizeof *fresh);
    if (!fresh)
        return NULL;
    fresh->key = t->key;
    fresh->left = copy(t->left);
    fresh->right = copy(t->right);
    return fresh;
}

static void mirror(struct tree *t) {
    if (!t)
        return;
    struct tree *left = t->left;
    mirror(left);
    mirror(t->right);
    t->left = t->right;
    t->right = left;
}

int main(void) {
    struct tree *t = build();
    struct tree *other = copy(t);
    mirror(other);
    destroy(t);
    destroy(other);
    return 0;
}
