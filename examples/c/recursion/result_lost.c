// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=FALSE unreach=TRUE assert=TRUE
// Inserts into a tree and forgets to store the subtree that the recursive call gives back.
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
        insert(t->right, key);
    }
    return t;  // FAILS: memory_leak
}

static void destroy(struct tree *t) {
    if (!t)
        return;
    destroy(t->left);
    destroy(t->right);
    free(t);
}

int main(void) {
    struct tree *t = NULL;
    while (__VERIFIER_nondet_int())
        t = insert(t, __VERIFIER_nondet_int());
    destroy(t);
    return 0;
}
