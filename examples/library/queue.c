/* A queue whose header the caller allocates; it stores pointers. */
#include <stdbool.h>
#include <stdlib.h>
typedef struct qnode {
    void *data;
    struct qnode *next;
} qnode_t;
typedef struct queue {
    qnode_t *front;
    qnode_t *rear;
    size_t size;
} queue_t;
void queue_init(queue_t *q) {
    q->front = NULL;
    q->rear = NULL;
    q->size = 0;
}
bool queue_push(queue_t *q, void *data) {
    qnode_t *n = malloc(sizeof *n);
    if (!n)
        return false;
    n->data = data;
    n->next = NULL;
    if (q->rear)
        q->rear->next = n;
    else
        q->front = n;
    q->rear = n;
    q->size++;
    return true;
}
void *queue_pop(queue_t *q) {
    qnode_t *n = q->front;
    void *d;
    if (!n)
        return NULL;
    d = n->data;
    q->front = n->next;
    if (!q->front)
        q->rear = NULL;
    free(n);
    q->size--;
    return d;
}
bool queue_is_empty(const queue_t *q) {
    return q->front == NULL;
}
void queue_destroy(queue_t *q, void (*f)(void *)) {
    while (!queue_is_empty(q)) {
        void *d = queue_pop(q);
        if (f)
            f(d);
    }
}
