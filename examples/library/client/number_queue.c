#include "number_queue.h"
#include <stdlib.h>
struct cell {
    struct cell *next;
    int value;
};
struct queue {
    struct cell *head, *tail;
};
struct queue *queue_new(void) {
    struct queue *q = malloc(sizeof *q);
    if (q)
        q->head = q->tail = NULL;
    return q;
}
int queue_push(struct queue *q, int value) {
    struct cell *c = malloc(sizeof *c);
    if (!c)
        return 0;
    c->value = value;
    c->next = NULL;
    if (q->tail)
        q->tail->next = c;
    else
        q->head = c;
    q->tail = c;
    return 1;
}
int queue_pop(struct queue *q, int *value) {
    struct cell *c = q->head;
    if (!c)
        return 0;
    *value = c->value;
    q->head = c->next;
    if (!q->head)
        q->tail = NULL;
    free(c);
    return 1;
}
int queue_is_empty(const struct queue *q) {
    return q->head == NULL;
}
/* The cells of the other queue move to the end of q, and the other queue ends. */
void queue_append(struct queue *q, struct queue *other) {
    if (other->head) {
        if (q->tail)
            q->tail->next = other->head;
        else
            q->head = other->head;
        q->tail = other->tail;
    }
    free(other);
}
void queue_free(struct queue *q) {
    int value;
    while (queue_pop(q, &value)) {
    }
    free(q);
}
