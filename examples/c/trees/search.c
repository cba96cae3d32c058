// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// Searches a tree of at most three nodes and forgets that a key may be missing.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct tree {
    struct tree *left, *right;
    int key;
};

static struct tree *leaf(int key) {
    struct tree *t = malloc(sizeof *t);
    if (!t)
        abort();
    t->left = t->right = NULL;
    t->key = key;
    return t;
}

int main(void) {
    struct tree *root = leaf(10);
    root->left = leaf(5);
    root->right = leaf(20);
    int wanted = __VERIFIER_nondet_int();
    struct tree *p = root;
    while (p->key != wanted)  // FAILS: null_dereference
        p = wanted < p->key ? p->left : p->right;
    free(root->left);
    free(root->right);
    free(root);
    return 0;
}
