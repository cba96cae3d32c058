// Inner lists may be empty. Where nodes that no variable points to may be there or not, an inner node that some lists
// have must not be taken for one that all have.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct leaf {
    struct leaf *next;
};

struct branch {
    struct branch *next;
    struct leaf *leaves;
};

static struct branch *grow(struct branch *list) {
    struct branch *new = malloc(sizeof *new);
    if (!new) exit(0);
    new->next = list;
    new->leaves = NULL;
    while (__VERIFIER_nondet_int() > 0) {
        struct leaf *leaf = malloc(sizeof *leaf);
        if (!leaf) exit(0);
        leaf->next = new->leaves;
        new->leaves = leaf;
    }
    return new;
}

static struct leaf *first_leaf(struct branch *branch) {
    struct branch *last = branch;
    while (last->next) last = last->next;
    return last->leaves;
}

int main(void) {
    struct branch *list = grow(NULL);
    while (__VERIFIER_nondet_int() > 0) list = grow(list);
    assert(first_leaf(list) != NULL);
    return 0;
}
