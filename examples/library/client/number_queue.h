/* A queue of numbers: clients see no member. */
struct queue;
struct queue *queue_new(void);
int queue_push(struct queue *q, int value);
int queue_pop(struct queue *q, int *value);
int queue_is_empty(const struct queue *q);
void queue_append(struct queue *q, struct queue *other);
void queue_free(struct queue *q);
