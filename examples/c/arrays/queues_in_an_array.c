// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// Eight queues in an array, one of which an unknown number chooses.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

enum { QUEUES = 8 };

struct node {
    struct node *next;
};
struct queue {
    struct node *first;
    struct node *last;
};

static void put(struct queue *q) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->next = NULL;
    if (q->last)
        q->last->next = n;
    else
        q->first = n;
    q->last = n;
}

static void take(struct queue *q) {
    struct node *n = q->first;
    if (!n)
        return;
    q->first = n->next;
    if (!q->first)
        q->last = NULL;
    free(n);
}

int main(void) {
    struct queue queues[QUEUES];
    for (int i = 0; i < QUEUES; i++)
        queues[i].first = queues[i].last = NULL;
    while (__VERIFIER_nondet_int()) {
        int i = __VERIFIER_nondet_int();
        if (i < 0 || i >= QUEUES)
            continue;
        if (__VERIFIER_nondet_int())
            put(&queues[i]);
        else
            take(&queues[i]);
    }
    for (int i = 0; i < QUEUES; i++)
        while (queues[i].first)
            take(&queues[i]);
    return 0;
}
