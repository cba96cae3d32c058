// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A tree of any degree, as first child and next sibling; freed by putting the children in front of the siblings.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *child, *sibling;
};

static struct node *pick(struct node *node) {
    while (node->child && __VERIFIER_nondet_int()) {
        node = node->child;
        while (node->sibling && __VERIFIER_nondet_int())
            node = node->sibling;
    }
    return node;
}

int main(void) {
    struct node *root = calloc(1, sizeof *root);
    if (!root)
        return 0;
    while (__VERIFIER_nondet_int()) {
        struct node *parent = pick(root);
        struct node *node = calloc(1, sizeof *node);
        if (!node)
            break;
        node->sibling = parent->child;
        parent->child = node;
    }
    while (root) {
        struct node *first = root->child;
        if (first) {
            struct node *last = first;
            while (last->sibling)
                last = last->sibling;
            last->sibling = root->sibling;
            root->sibling = first;
            root->child = NULL;
        }
        struct node *next = root->sibling;
        free(root);
        root = next;
    }
    return 0;
}
