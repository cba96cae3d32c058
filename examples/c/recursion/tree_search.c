// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A binary search tree: inserts, searches, measures and frees, all by recursion.
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

static struct tree *find(struct tree *t, int key) {
    if (!t || t->key == key)
        return t;
    return find(key < t->key ? t->left : t->right, key);
}

static int height(const struct tree *t) {
    if (!t)
        return 0;
    int left = height(t->left), right = height(t->right);
    return 1 + (left > right ? left : right);
}

int main(void) {
    struct tree *t = build();
    struct tree *found = find(t, height(t));
    if (found)
        found->key = 0;
    destroy(t);
    return 0;
}
