/* A search tree. */
#include <stdlib.h>
struct tnode {
    int key;
    struct tnode *left, *right;
};
struct tree {
    struct tnode *root;
};
struct tree *tree_new(void) {
    return calloc(1, sizeof(struct tree));
}
int tree_insert(struct tree *t, int key) {
    struct tnode **p = &t->root;
    while (*p) {
        if (key == (*p)->key)
            return 0;
        p = key < (*p)->key ? &(*p)->left : &(*p)->right;
    }
    *p = malloc(sizeof **p);
    if (!*p)
        return -1;
    (*p)->key = key;
    (*p)->left = (*p)->right = NULL;
    return 1;
}
int tree_contains(const struct tree *t, int key) {
    const struct tnode *n = t->root;
    while (n && n->key != key)
        n = key < n->key ? n->left : n->right;
    return n != NULL;
}
int tree_remove(struct tree *t, int key) {
    struct tnode **p = &t->root, *n;
    while (*p && (*p)->key != key)
        p = key < (*p)->key ? &(*p)->left : &(*p)->right;
    n = *p;
    if (!n)
        return 0;
    if (!n->left)
        *p = n->right;
    else if (!n->right)
        *p = n->left;
    else {
        struct tnode **m = &n->right, *k;
        while ((*m)->left)
            m = &(*m)->left;
        k = *m;
        *m = k->right;
        k->left = n->left;
        k->right = n->right;
        *p = k;
    }
    free(n);
    return 1;
}
static void free_nodes(struct tnode *n) {
    if (!n)
        return;
    free_nodes(n->left);
    free_nodes(n->right);
    free(n);
}
void tree_free(struct tree *t) {
    if (t) {
        free_nodes(t->root);
        free(t);
    }
}
