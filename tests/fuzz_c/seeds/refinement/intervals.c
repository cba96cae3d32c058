#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct span { int lo, hi; struct span *next; };
int main(void) {
    struct span *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct span *s = malloc(sizeof *s);
        if (!s) abort();
        int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
        if (x > 1000 || y > 1000 || x < 0 || y < 0) abort();
        s->lo = x; s->hi = y;
        if (s->lo > s->hi) { int t = s->lo; s->lo = s->hi; s->hi = t; }
        s->next = list;
        list = s;
    }
    for (struct span *p = list; p; p = p->next) assert(p->lo <= p->hi);
    while (list) { struct span *n = list->next; free(list); list = n; }
    return 0;
}
