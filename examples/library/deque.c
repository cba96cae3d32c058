/* A deque: a doubly linked list with a sentinel that is part of the object. */
#include <stdlib.h>

struct cell {
    struct cell *next, *prev;
    int value;
};

struct deque {
    struct cell ends;
};

struct deque *deque_new(void) {
    struct deque *d = malloc(sizeof *d);
    if (d == NULL)
        return NULL;
    d->ends.next = d->ends.prev = &d->ends;
    return d;
}

static int insert(struct cell *before, int value) {
    struct cell *c = malloc(sizeof *c);
    if (c == NULL)
        return -1;
    c->value = value;
    c->next = before->next;
    c->prev = before;
    before->next->prev = c;
    before->next = c;
    return 0;
}

static int take(struct deque *d, struct cell *c, int *value) {
    if (c == &d->ends)
        return -1;
    *value = c->value;
    c->prev->next = c->next;
    c->next->prev = c->prev;
    free(c);
    return 0;
}

int deque_push_front(struct deque *d, int value) {
    return insert(&d->ends, value);
}
int deque_push_back(struct deque *d, int value) {
    return insert(d->ends.prev, value);
}
int deque_pop_front(struct deque *d, int *value) {
    return take(d, d->ends.next, value);
}
int deque_pop_back(struct deque *d, int *value) {
    return take(d, d->ends.prev, value);
}
int deque_is_empty(const struct deque *d) {
    return d->ends.next == &d->ends;
}

void deque_free(struct deque *d) {
    struct cell *c = d->ends.next;
    while (c != &d->ends) {
        struct cell *next = c->next;
        free(c);
        c = next;
    }
    free(d);
}
