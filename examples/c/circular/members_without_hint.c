// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A doubly linked ring whose members have names that do not say which one points back: the stores that make them inverse do.
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
typedef struct ring { struct ring *flink; struct ring *blink; void *value; } *ring_t;
static ring_t begin(void) {
    ring_t r = malloc(sizeof *r);
    if (!r) return NULL;
    r->flink = r;
    r->blink = r;
    r->value = NULL;
    return r;
}
static void put_before(ring_t at, void *value) {
    ring_t n = malloc(sizeof *n), last;
    if (!n) return;
    n->value = value;
    last = at->blink;
    at->blink = n;
    last->flink = n;
    n->blink = last;
    n->flink = at;
}
static void *take(ring_t n) {
    void *value = n->value;
    n->flink->blink = n->blink;
    n->blink->flink = n->flink;
    free(n);
    return value;
}
int main(void) {
    int number;
    ring_t r = begin(), n, after;
    if (!r) return 1;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) put_before(r, &number);
        else if (r->flink != r) take(__VERIFIER_nondet_int() ? r->flink : r->blink);
    }
    for (n = r->flink; n != r; n = after) {
        after = n->flink;
        free(n);
    }
    free(r);
    return 0;
}
