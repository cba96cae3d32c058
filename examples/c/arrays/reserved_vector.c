// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A vector on the heap that owns blocks: room is reserved by doubling in a loop.
#include <stdbool.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct vector {
    void **items;
    size_t length, capacity;
};

static bool reserve(struct vector *vector, size_t wanted) {
    size_t capacity = vector->capacity;
    if (wanted <= capacity)
        return true;
    if (capacity == 0)
        capacity = 4;
    while (capacity < wanted)
        capacity *= 2;
    void **items = realloc(vector->items, capacity * sizeof *items);
    if (!items)
        return false;
    vector->items = items;
    vector->capacity = capacity;
    return true;
}

static bool push(struct vector *vector, void *item) {
    if (!reserve(vector, vector->length + 1))
        return false;
    vector->items[vector->length++] = item;
    return true;
}

static void *pop(struct vector *vector) {
    return vector->length ? vector->items[--vector->length] : NULL;
}

int main(void) {
    struct vector *vector = calloc(1, sizeof *vector);
    if (!vector)
        return 1;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            void *item = malloc(16);
            if (!item || !push(vector, item)) {
                free(item);
                break;
            }
        } else {
            free(pop(vector));
        }
    }
    for (size_t i = 0; i < vector->length; i++)
        free(vector->items[i]);
    free(vector->items);
    free(vector);
    return 0;
}
