// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A vector on the heap of void pointers with a destructor; its constructor returns NULL where one of its blocks fails.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct vector {
    void **data;
    size_t size, capacity;
    void (*end)(void *);
};

static struct vector *make(void (*end)(void *)) {
    struct vector *vector = malloc(sizeof *vector);
    if (!vector)
        return NULL;
    vector->size = 0;
    vector->capacity = 4;
    vector->end = end;
    vector->data = malloc(sizeof(void *) * vector->capacity);
    if (!vector->data) {
        free(vector);
        return NULL;
    }
    return vector;
}

static int push(struct vector *vector, void *item) {
    if (vector->size == vector->capacity) {
        void **data = realloc(vector->data, sizeof(void *) * vector->capacity * 2);
        if (!data)
            return -1;
        vector->data = data;
        vector->capacity *= 2;
    }
    vector->data[vector->size++] = item;
    return 0;
}

static void destroy(struct vector *vector) {
    for (size_t i = 0; i < vector->size; i++)
        vector->end(vector->data[i]);
    free(vector->data);
    free(vector);
}

int main(void) {
    struct vector *vector = make(free);
    if (!vector)
        return 1;
    while (__VERIFIER_nondet_int()) {
        int *number = malloc(sizeof *number);
        if (!number)
            break;
        if (push(vector, number)) {
            free(number);
            break;
        }
    }
    destroy(vector);
    return 0;
}
