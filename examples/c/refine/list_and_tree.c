// A doubly linked list beside a binary tree: refinement chooses a shape class for each of the two types.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct cell {
    struct cell *next, *prev;
};
struct tree {
    struct tree *left, *right;
};

static struct cell *make_list(void) {
    struct cell *head = NULL;
    while (__VERIFIER_nondet_int()) {
        struct cell *c = malloc(sizeof *c);
        if (!c)
            abort();
        c->next = head;
        c->prev = NULL;
        if (head)
            head->prev = c;
        head = c;
    }
    return head;
}

static struct tree *make_tree(void) {
    struct tree *root = NULL;
    while (__VERIFIER_nondet_int()) {
        struct tree *t = malloc(sizeof *t);
        if (!t)
            abort();
        t->left = t->right = NULL;
        if (__VERIFIER_nondet_int())
            t->left = root;
        else
            t->right = root;
        root = t;
    }
    return root;
}

int main(void) {
    struct cell *list = make_list();
    struct tree *root = make_tree();
    for (struct cell *c = list; c && c->next; c = c->next)
        assert(c->next->prev == c);
    while (root) {
        if (root->left) {
            struct tree *left = root->left;
            root->left = left->right;
            left->right = root;
            root = left;
        } else {
            struct tree *right = root->right;
            free(root);
            root = right;
        }
    }
    return 0;
}
