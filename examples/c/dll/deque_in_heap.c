// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A deque with its two ends in a block of its own; all four operations.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next, *prev;
    int v;
};

struct deque {
    struct node *front, *back;
};

static struct deque *mk(void) {
    struct deque *d = malloc(sizeof *d);
    if (!d)
        abort();
    d->front = d->back = NULL;
    return d;
}

static void push_back(struct deque *d, int v) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->v = v;
    n->next = NULL;
    n->prev = d->back;
    if (d->back)
        d->back->next = n;
    else
        d->front = n;
    d->back = n;
}

static void push_front(struct deque *d, int v) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->v = v;
    n->prev = NULL;
    n->next = d->front;
    if (d->front)
        d->front->prev = n;
    else
        d->back = n;
    d->front = n;
}

static void pop_front(struct deque *d) {
    struct node *n = d->front;
    if (!n)
        return;
    d->front = n->next;
    if (d->front)
        d->front->prev = NULL;
    else
        d->back = NULL;
    free(n);
}

static void pop_back(struct deque *d) {
    struct node *n = d->back;
    if (!n)
        return;
    d->back = n->prev;
    if (d->back)
        d->back->next = NULL;
    else
        d->front = NULL;
    free(n);
}

int main(void) {
    struct deque *d = mk();
    while (__VERIFIER_nondet_int())
        switch (__VERIFIER_nondet_int()) {
        case 0:
            push_back(d, 1);
            break;
        case 1:
            push_front(d, 2);
            break;
        case 2:
            pop_front(d);
            break;
        default:
            pop_back(d);
        }
    while (d->front)
        pop_front(d);
    free(d);
    return 0;
}
