// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A workshop on the heap with five stations: each order goes from station to station, in a queue at each of them.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct order {
    struct order *next;
};

struct queue {
    struct order *first, *last;
};

struct workshop {
    struct queue cut, drilled, painted, packed, sent;
};

static void put(struct queue *q, struct order *o) {
    o->next = NULL;
    if (q->last)
        q->last->next = o;
    else
        q->first = o;
    q->last = o;
}

static struct order *take(struct queue *q) {
    struct order *o = q->first;
    if (!o)
        return NULL;
    q->first = o->next;
    if (!q->first)
        q->last = NULL;
    return o;
}

static void pass_on(struct queue *from, struct queue *to) {
    struct order *o = take(from);
    if (o)
        put(to, o);
}

static void clear(struct queue *q) {
    struct order *o;
    while ((o = take(q)))
        free(o);
}

static void accept(struct workshop *w) {
    struct order *o = malloc(sizeof *o);
    if (o)
        put(&w->cut, o);
}

int main(void) {
    struct workshop *w = calloc(1, sizeof *w);
    if (!w)
        return 1;
    while (__VERIFIER_nondet_int()) {
        switch (__VERIFIER_nondet_int()) {
        case 0: accept(w); break;
        case 1: pass_on(&w->cut, &w->drilled); break;
        case 2: pass_on(&w->drilled, &w->painted); break;
        case 3: pass_on(&w->painted, &w->packed); break;
        case 4: pass_on(&w->packed, &w->sent); break;
        case 5: pass_on(&w->sent, &w->cut); break;
        default: free(take(&w->sent)); break;
        }
    }
    clear(&w->cut);
    clear(&w->drilled);
    clear(&w->painted);
    clear(&w->packed);
    clear(&w->sent);
    free(w);
    return 0;
}
