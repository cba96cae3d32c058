#include <stdlib.h>
void reach_error(void) { abort(); }
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
struct cell { int value; struct cell *next; };
struct queue { struct cell *first, **last; int length; };

static void put(struct queue *q, int value) {
    struct cell *c = malloc(sizeof(struct cell));
    *c = (struct cell){ .value = value };
    *q->last = c;
    q->last = &c->next;
    q->length++;
}

static int take(struct queue *q) {
    struct cell *c = q->first;
    int value = c->value;
    if ((q->first = c->next) == NULL)
        q->last = &q->first;
    free(c);
    q->length--;
    return value;
}

int main(void) {
    struct queue q = { .last = &q.first };
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    __VERIFIER_assume(a < b);
    put(&q, a);
    put(&q, b);
    if (take(&q) >= take(&q))
        reach_error();
    put(&q, a + 1);
    if (take(&q) == b)
        reach_error(); // FAILS: unreach_call
    return q.length;
}
