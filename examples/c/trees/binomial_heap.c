// RUN: kleene check --timeout 200
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Insertion into a binomial heap: trees of the same degree are linked. Nodes know their parents, which nothing reads.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct tree {
    int key, degree;
    struct tree *child, *sibling, *parent;
};

static void link(struct tree *under, struct tree *over)
{
    under->parent = over;
    under->sibling = over->child;
    over->child = under;
    over->degree++;
}

static void clear(struct tree *t)
{
    while (t) {
        struct tree *next = t->sibling;
        clear(t->child);
        free(t);
        t = next;
    }
}

int main(void)
{
    struct tree *heap = NULL;
    while (__VERIFIER_nondet_int()) {
        struct tree *n = malloc(sizeof *n);
        if (!n)
            abort();
        n->key = __VERIFIER_nondet_int();
        n->degree = 0;
        n->child = n->sibling = n->parent = NULL;
        while (heap && heap->degree == n->degree) {
            struct tree *other = heap;
            heap = heap->sibling;
            other->sibling = NULL;
            if (other->key < n->key) {
                link(n, other);
                n = other;
            } else {
                link(other, n);
            }
        }
        n->sibling = heap;
        heap = n;
    }
    clear(heap);
    return 0;
}
