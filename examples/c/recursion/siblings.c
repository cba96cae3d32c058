// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A tree whose nodes have any number of children, in a list: a loop around a recursive call.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct tree {
    struct tree *child, *sibling;
};

static struct tree *build(void) {
    struct tree *t = malloc(sizeof *t);
    if (!t)
        return NULL;
    t->child = t->sibling = NULL;
    while (__VERIFIER_nondet_int()) {
        struct tree *child = build();
        if (!child)
            break;
        child->sibling = t->child;
        t->child = child;
    }
    return t;
}

static void destroy(struct tree *t) {
    struct tree *child = t->child;
    while (child) {
        struct tree *following = child->sibling;
        destroy(child);
        child = following;
    }
    free(t);
}

int main(void) {
    struct tree *t = build();
    if (t)
        destroy(t);
    return 0;
}
