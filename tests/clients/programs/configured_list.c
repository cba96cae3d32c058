/* A list that keeps its allocator in a configuration, in the manner of Collections-C. */
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

enum status { OK, NO_MEMORY, OUT_OF_RANGE };

typedef struct configuration {
    void *(*mem_alloc)(size_t size);
    void *(*mem_calloc)(size_t blocks, size_t size);
    void (*mem_free)(void *block);
} configuration;

typedef struct node {
    void *data;
    struct node *next;
} node;

typedef struct list {
    size_t size;
    node *head;
    node *tail;
    void *(*mem_alloc)(size_t size);
    void *(*mem_calloc)(size_t blocks, size_t size);
    void (*mem_free)(void *block);
} list;

void configuration_init(configuration *conf) {
    conf->mem_alloc = malloc;
    conf->mem_calloc = calloc;
    conf->mem_free = free;
}

enum status list_new_conf(configuration const *conf, list **out) {
    list *made = conf->mem_calloc(1, sizeof(list));
    if (!made)
        return NO_MEMORY;
    made->mem_alloc = conf->mem_alloc;
    made->mem_calloc = conf->mem_calloc;
    made->mem_free = conf->mem_free;
    *out = made;
    return OK;
}

enum status list_new(list **out) {
    configuration conf;
    configuration_init(&conf);
    return list_new_conf(&conf, out);
}

enum status list_add_last(list *self, void *element) {
    node *made = self->mem_calloc(1, sizeof(node));
    if (!made)
        return NO_MEMORY;
    made->data = element;
    if (self->size == 0) {
        self->head = made;
        self->tail = made;
    } else {
        self->tail->next = made;
        self->tail = made;
    }
    self->size++;
    return OK;
}

enum status list_remove_first(list *self, void **out) {
    node *gone = self->head;
    if (!gone)
        return OUT_OF_RANGE;
    self->head = gone->next;
    if (!self->head)
        self->tail = NULL;
    if (out)
        *out = gone->data;
    self->mem_free(gone);
    self->size--;
    return OK;
}

void list_destroy(list *self) {
    node *position = self->head;
    while (position) {
        node *following = position->next;
        self->mem_free(position);
        position = following;
    }
    self->mem_free(self);
}

int main(void) {
    list *numbers;
    if (list_new(&numbers) != OK)
        return 1;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            list_add_last(numbers, NULL);
        else
            list_remove_first(numbers, NULL);
    }
    list_destroy(numbers);
    return 0;
}
