/* A singly linked queue with a pointer to its last link, in the manner of sys/queue.h. */
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct message {
    int priority;
    struct message *next;
};

struct queue {
    struct message *first;
    struct message **last;
};

#define QUEUE_INIT(queue)                   \
    do {                                    \
        (queue)->first = NULL;              \
        (queue)->last = &(queue)->first;    \
    } while (0)
#define QUEUE_INSERT_TAIL(queue, element)   \
    do {                                    \
        (element)->next = NULL;             \
        *(queue)->last = (element);         \
        (queue)->last = &(element)->next;   \
    } while (0)
#define QUEUE_REMOVE_HEAD(queue)                        \
    do {                                                \
        (queue)->first = (queue)->first->next;          \
        if ((queue)->first == NULL)                     \
            (queue)->last = &(queue)->first;            \
    } while (0)

static struct queue queue;

static int push(int priority) {
    struct message *message = malloc(sizeof *message);
    if (message == NULL)
        return -1;
    message->priority = priority;
    QUEUE_INSERT_TAIL(&queue, message);
    return 0;
}

static int pop(void) {
    struct message *message = queue.first;
    if (message == NULL)
        return -1;
    QUEUE_REMOVE_HEAD(&queue);
    int priority = message->priority;
    free(message);
    return priority;
}

int main(void) {
    QUEUE_INIT(&queue);
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            push(1);
        else
            pop();
    }
    while (queue.first != NULL)
        pop();
    return 0;
}
