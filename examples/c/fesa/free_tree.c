// RUN: kleene check --domain fesa
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Frees a tree without a stack: rotate until there is no left child, then free the root and go right (FESA Fig. 10a).
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *left, *right;
};

static struct node *join(struct node *left, struct node *right) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->left = left;
    n->right = right;
    return n;
}

int main(void) {
    struct node *a = join(join(join(NULL, NULL), join(NULL, NULL)), join(join(NULL, NULL), join(NULL, NULL)));
    while (a) {
        if (a->left) {
            struct node *b = a->left;
            a->left = b->right;
            b->right = a;
            a = b;
        } else {
            struct node *b = a->right;
            free(a);
            a = b;
        }
    }
    return 0;
}
