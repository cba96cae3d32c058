#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct dept { struct dept *next; int budget; };
struct emp { struct emp *next; struct dept *of; int pay; };
int main(void) {
    struct dept *depts = NULL, *d;
    struct emp *emps = NULL, *e;
    while (__VERIFIER_nondet_int()) {
        d = malloc(sizeof *d);
        if (!d) break;
        d->budget = 0;
        d->next = depts;
        depts = d;
    }
    while (__VERIFIER_nondet_int()) {
        d = depts;
        while (d && __VERIFIER_nondet_int()) d = d->next;
        if (!d) continue;
        e = malloc(sizeof *e);
        if (!e) break;
        e->of = d;
        e->pay = 1;
        e->next = emps;
        emps = e;
    }
    for (e = emps; e; e = e->next) e->of->budget = e->pay;
    while (emps) {
        e = emps;
        e->of->budget = 0;
        emps = e->next;
        free(e);
    }
    while (depts) {
        d = depts;
        depts = d->next;
        free(d);
    }
    return 0;
}
