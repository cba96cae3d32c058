// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// Frees a tree by recursion, the node before its right subtree.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct tree {
    struct tree *left, *right;
};

static struct tree *build(void) {
    if (!__VERIFIER_nondet_int())
        return NULL;
    struct tree *t = malloc(sizeof *t);
    if (!t)
        return NULL;
    t->left = build();
    t->right = build();
    return t;
}

static void destroy(struct tree *t) {
    if (!t)
        return;
    struct tree *right = t->right;
    destroy(t->left);
    free(t);
    if (right)
        destroy(t->right);  // FAILS: dangling_dereference
}

int main(void) {
    struct tree *t = build();
    destroy(t);
    return 0;
}
