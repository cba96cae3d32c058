// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A tree with parent pointers, built and freed by recursion; a child gets the parent as an argument.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct tree {
    struct tree *left, *right, *parent;
};

static struct tree *build(struct tree *parent) {
    if (!__VERIFIER_nondet_int())
        return NULL;
    struct tree *t = malloc(sizeof *t);
    if (!t)
        return NULL;
    t->parent = parent;
    t->left = build(t);
    t->right = build(t);
    return t;
}

static void destroy(struct tree *t) {
    if (!t)
        return;
    destroy(t->left);
    destroy(t->right);
    free(t);
}

int main(void) {
    struct tree *t = build(NULL);
    destroy(t);
    return 0;
}
