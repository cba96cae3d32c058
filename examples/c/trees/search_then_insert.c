// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A binary search tree with parents: a value is searched to a leaf, and compared with the leaf again to insert it.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int key;
    struct node *left, *right, *parent;
};

static struct node *root;

static void insert(int key)
{
    struct node *leaf = NULL, *t = root;
    while (t) {
        leaf = t;
        t = key < t->key ? t->left : t->right;
    }
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->key = key;
    n->left = n->right = NULL;
    n->parent = leaf;
    if (!leaf)
        root = n;
    else if (key < leaf->key)
        leaf->left = n;
    else
        leaf->right = n;
}

static void clear(struct node *n)
{
    if (!n)
        return;
    clear(n->left);
    clear(n->right);
    free(n);
}

int main(void)
{
    while (__VERIFIER_nondet_int())
        insert(__VERIFIER_nondet_int());
    clear(root);
    return 0;
}
