// RUN: kleene check --domain fesa
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A tree of seven nodes becomes one summary.
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
    while (__VERIFIER_nondet_int()) {
    }
    if (x)
        abort();
    return 0;
}
