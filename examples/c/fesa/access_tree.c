// RUN: kleene check --domain fesa
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Goes to the leftmost node of a summarised tree.
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
    struct node *x = join(join(join(NULL, NULL), join(NULL, NULL)), join(join(NULL, NULL), join(NULL, NULL)));
    struct node *p = x;
    while (p->left)
        p = p->left;
    if (p->left == NULL)
        abort();
    return 0;
}
