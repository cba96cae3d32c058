// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A tree whose nodes hold lists.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct item {
    struct item *next;
};

struct tree {
    struct tree *l, *r;
    struct item *items;
};

int main(void) {
    struct tree *root = NULL;
    while (__VERIFIER_nondet_int()) {
        struct tree *n = malloc(sizeof *n);
        if (!n)
            abort();
        n->l = n->r = NULL;
        n->items = NULL;
        while (__VERIFIER_nondet_int()) {
            struct item *i = malloc(sizeof *i);
            if (!i)
                abort();
            i->next = n->items;
            n->items = i;
        }
        if (!root) {
            root = n;
            continue;
        }
        struct tree *t = root;
        for (;;) {
            if (__VERIFIER_nondet_int()) {
                if (!t->l) {
                    t->l = n;
                    break;
                }
                t = t->l;
            } else {
                if (!t->r) {
                    t->r = n;
                    break;
                }
                t = t->r;
            }
        }
    }
    while (root) {
        if (!root->l) {
            struct tree *r = root->r;
            while (root->items) {
                struct item *i = root->items;
                root->items = i->next;
                free(i);
            }
            free(root);
            root = r;
        } else {
            struct tree *l = root->l;
            root->l = l->r;
            l->r = root;
            root = l;
        }
    }
    return 0;
}
