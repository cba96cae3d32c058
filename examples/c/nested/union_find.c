// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Sets that are united: elements are in a list, and each points to another one of its set, the first to itself. Whether an
// element does, and its rank, tell elements apart: with both there are millions of structures.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct element { int key, rank; struct element *parent, *next; };
static struct element *find(struct element *e) {
    while (e->parent != e) {
        e->parent = e->parent->parent;
        e = e->parent;
    }
    return e;
}
static void unite(struct element *a, struct element *b) {
    a = find(a);
    b = find(b);
    if (a == b) return;
    if (a->rank < b->rank) a->parent = b;
    else {
        b->parent = a;
        if (a->rank == b->rank) a->rank++;
    }
}
int main(void) {
    struct element *all = NULL, *next;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            struct element *e = malloc(sizeof *e);
            if (!e) break;
            e->key = __VERIFIER_nondet_int();
            e->rank = 0;
            e->parent = e;
            e->next = all;
            all = e;
        } else if (all) {
            struct element *other = all;
            while (other && other->key != __VERIFIER_nondet_int()) other = other->next;
            if (other) unite(all, other);
        }
    }
    for (; all; all = next) {
        next = all->next;
        free(all);
    }
    return 0;
}
