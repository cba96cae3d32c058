// RUN: kleene check --timeout 200
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Visits every node of a tree without a stack (Deutsch-Schorr-Waite, in Lindstrom's form): the pointers of a node
// are turned by one place at each of its three visits, and are as they were after the last.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct tree {
    struct tree *left, *right;
};

static void visit_all(struct tree *root) {
    struct tree end;
    struct tree *p = root, *before = &end;
    if (!root)
        return;
    while (p != &end) {
        struct tree *next = p->left;
        p->left = p->right;
        p->right = before;
        before = p;
        p = next;
        if (!p) {
            p = before;
            before = NULL;
        }
    }
}

int main(void) {
    struct tree *root = NULL;
    while (__VERIFIER_nondet_int()) {
        struct tree *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->left = fresh->right = NULL;
        if (__VERIFIER_nondet_int())
            fresh->left = root;
        else
            fresh->right = root;
        root = fresh;
    }
    visit_all(root);
    while (root) {
        struct tree *next = root->left ? root->left : root->right;
        free(root);
        root = next;
    }
    return 0;
}
