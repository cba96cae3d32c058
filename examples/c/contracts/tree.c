// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Trees by contract: each body on any tree, and the callers on contracts alone. 'depth' and 'find' change nothing, so that
// their caller still knows the tree afterwards.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct tree {
    struct tree *left;
    struct tree *right;
    int key;
};

/*@ requires tree(t); ensures tree(\result); */
static struct tree *insert(struct tree *t, int key)
{
    if (!t) {
        struct tree *leaf = malloc(sizeof(struct tree));
        if (!leaf)
            abort();
        leaf->left = leaf->right = NULL;
        leaf->key = key;
        return leaf;
    }
    if (key < t->key)
        t->left = insert(t->left, key);
    else
        t->right = insert(t->right, key);
    return t;
}

/*@ requires tree(t); modifies \nothing; ensures \result >= 0 && \result <= 1; */
static int find(struct tree *t, int key)
{
    while (t && t->key != key)
        t = key < t->key ? t->left : t->right;
    return t != NULL;
}

/*@ requires tree(t); */
static void destroy(struct tree *t)
{
    if (t) {
        destroy(t->left);
        destroy(t->right);
        free(t);
    }
}

int main(void)
{
    struct tree *t = NULL;
    while (__VERIFIER_nondet_int())
        t = insert(t, __VERIFIER_nondet_int());
    if (find(t, 3) < 0)
        t->key = 0;
    destroy(t);
    return 0;
}
