// A list of intervals that grow and move: lo <= hi in every node, and two counts of visits that are always the same.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct interval {
    int lo, hi;
    int entered, left;
    struct interval *next;
};
static struct interval *add(struct interval *list, int x, int y) {
    if (x > y) return list;
    struct interval *n = calloc(1, sizeof *n);
    if (!n) exit(1);
    n->lo = x;
    n->hi = y;
    n->next = list;
    return n;
}
int main(void) {
    struct interval *list = NULL;
    while (__VERIFIER_nondet_int()) list = add(list, __VERIFIER_nondet_int(), __VERIFIER_nondet_int());
    for (struct interval *p = list; p; p = p->next) {
        int x = __VERIFIER_nondet_int();
        if (x < p->lo) p->lo = x;
        else if (x > p->hi) p->hi = x;
        p->entered++;
        p->left++;
    }
    for (struct interval *p = list; p; p = p->next) {
        assert(p->lo <= p->hi);
        assert(p->entered == p->left);
    }
    return 0;
}
