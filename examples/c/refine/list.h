/* Low-level doubly linked lists: functions on nodes, as a data-structure library has them below its lists. */
#include <stdlib.h>
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int value;
    struct node *succ;
    struct node *pred;
};

static struct node *node_alloc(int value) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        exit(1);
    n->value = value;
    n->succ = NULL;
    n->pred = NULL;
    return n;
}

/* The first node of the list that is made of the two: `tail` is the last node of the one, `head` the first of the other. */
static void list_link(struct node *tail, struct node *head) {
    tail->succ = head;
    head->pred = tail;
}

static void list_insert_after(struct node *place, struct node *n) {
    n->pred = place;
    n->succ = place->succ;
    if (place->succ != NULL)
        place->succ->pred = n;
    place->succ = n;
}

static void list_insert_before(struct node *place, struct node *n) {
    n->succ = place;
    n->pred = place->pred;
    if (place->pred != NULL)
        place->pred->succ = n;
    place->pred = n;
}

static void list_remove(struct node *n) {
    if (n->succ != NULL)
        n->succ->pred = n->pred;
    if (n->pred != NULL)
        n->pred->succ = n->succ;
    n->succ = NULL;
    n->pred = NULL;
}

/* The client: any list of one or more nodes. */
static struct node *list_any(void) {
    struct node *first = node_alloc(0);
    struct node *last = first;
    while (__VERIFIER_nondet_int()) {
        struct node *n = node_alloc(__VERIFIER_nondet_int());
        last->succ = n;
        n->pred = last;
        last = n;
    }
    return first;
}

/* Any node of a list. */
static struct node *list_somewhere(struct node *first) {
    struct node *n = first;
    while (n->succ != NULL && __VERIFIER_nondet_int())
        n = n->succ;
    return n;
}

static struct node *list_last(struct node *first) {
    struct node *n = first;
    while (n->succ != NULL)
        n = n->succ;
    return n;
}

/* Going forward and back leads to the same node, everywhere from `n` on. */
static void check_cancel(struct node *n) {
    while (n != NULL && n->succ != NULL) {
        assert(n->succ->pred == n);
        n = n->succ;
    }
}

/* No node from `first` on comes again when the list is followed forward. */
static void check_acyclic(struct node *first) {
    struct node *n = list_somewhere(first);
    struct node *later = n->succ;
    while (later != NULL) {
        assert(later != n);
        later = later->succ;
    }
}
