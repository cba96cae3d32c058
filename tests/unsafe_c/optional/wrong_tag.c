// Elements of two sizes in one list; one maker gives the tag of a larger struct, so the walk reads behind the block.
// Where nodes may be there or not, a node of one size must not hide the node of another size with the same tag.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct base {
    int tag;
    struct base *next;
};
struct small {
    struct base base;
    long own[1];
};
struct large {
    struct base base;
    long own[4];
};

static struct base *make_small(struct base *l) {
    struct small *n = malloc(sizeof *n);
    if (!n) abort();
    n->base.tag = l && __VERIFIER_nondet_int() > 0; /* BUG: 1 is the tag of the larger struct */
    n->own[0] = 0;
    n->base.next = l;
    return &n->base;
}

static struct base *make_large(struct base *l) {
    struct large *n = malloc(sizeof *n);
    if (!n) abort();
    n->base.tag = 1;
    n->own[3] = 1;
    n->base.next = l;
    return &n->base;
}

static long read_last(struct base *b) {
    return b->tag ? ((struct large *)b)->own[3] : ((struct small *)b)->own[0];
}

int main(void) {
    struct base *l = NULL;
    long sum = 0;
    while (__VERIFIER_nondet_int() > 0) l = __VERIFIER_nondet_int() > 0 ? make_small(l) : make_large(l);
    for (struct base *b = l; b; b = b->next) sum += read_last(b);
    while (l) {
        struct base *t = l->next;
        free(l);
        l = t;
    }
    return sum != 0;
}
