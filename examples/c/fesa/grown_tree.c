// RUN: kleene check --domain fesa
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A tree of any size, grown at a random place, freed by rotation.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *left, *right;
};

int main(void) {
    struct node *a = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *n = calloc(1, sizeof *n);
        if (!n)
            break;
        if (!a) {
            a = n;
            continue;
        }
        struct node *p = a;
        for (;;) {
            if (__VERIFIER_nondet_int()) {
                if (!p->left) {
                    p->left = n;
                    break;
                }
                p = p->left;
            } else {
                if (!p->right) {
                    p->right = n;
                    break;
                }
                p = p->right;
            }
        }
    }
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
