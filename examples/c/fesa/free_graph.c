// RUN: kleene check --domain fesa
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// The same loop on a diamond, which is no tree: the shared node is used after it was freed (FESA Fig. 10b).
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
    struct node *shared = join(NULL, NULL);
    struct node *a = join(join(shared, NULL), join(NULL, shared));
    shared = NULL;
    while (a) {
        if (a->left) {  // FAILS: dangling_dereference
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
