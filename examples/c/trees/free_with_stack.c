// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Frees a tree with a stack of its nodes; the stack has nodes of the same size.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct tree {
    struct tree *left, *right;
};

struct stack {
    struct stack *next;
    struct tree *node;
};

static struct tree *leaf(void) {
    struct tree *t = malloc(sizeof *t);
    if (!t)
        abort();
    t->left = t->right = NULL;
    return t;
}

static void push(struct stack **s, struct tree *t) {
    struct stack *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->next = *s;
    n->node = t;
    *s = n;
}

static struct tree *pop(struct stack **s) {
    struct stack *n = *s;
    struct tree *t = n->node;
    *s = n->next;
    free(n);
    return t;
}

int main(void) {
    struct tree *root = leaf();
    while (__VERIFIER_nondet_int()) {
        struct tree *t = root;
        for (;;) {
            if (__VERIFIER_nondet_int()) {
                if (!t->left) {
                    t->left = leaf();
                    break;
                }
                t = t->left;
            } else {
                if (!t->right) {
                    t->right = leaf();
                    break;
                }
                t = t->right;
            }
        }
    }
    struct stack *s = NULL;
    push(&s, root);
    while (s) {
        struct tree *t = pop(&s);
        if (t->left)
            push(&s, t->left);
        if (t->right)
            push(&s, t->right);
        free(t);
    }
    return 0;
}
