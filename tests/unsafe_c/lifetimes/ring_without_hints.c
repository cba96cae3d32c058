/* A ring whose members are inverse by their stores, until one is taken out without the second of them. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct ring { struct ring *flink, *blink; };
static void put(struct ring *at) {
    struct ring *n = malloc(sizeof *n), *last = at->blink;
    if (n == NULL)
        return;
    at->blink = n;
    last->flink = n;
    n->blink = last;
    n->flink = at;
}
int main(void) {
    struct ring *r = malloc(sizeof *r), *n, *after;
    if (r == NULL)
        return 1;
    r->flink = r;
    r->blink = r;
    while (__VERIFIER_nondet_int() > 0) {
        put(r);
        n = r->flink;
        if (n != r && __VERIFIER_nondet_int() > 3) {
            n->blink->flink = n->flink;
            free(n);
        }
    }
    for (n = r->blink; n != r; n = after) {
        after = n->blink;
        n->flink = NULL;
    }
    for (n = r->flink; n != NULL && n != r; n = after) {
        after = n->flink;
        free(n);
    }
    free(r);
    return 0;
}
