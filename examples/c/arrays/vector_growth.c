// RUN: kleene check
// EXPECT: memsafety=FALSE memcleanup=ANY unreach=TRUE assert=TRUE
// A vector that says after it has grown that it has room for one item more.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct vector {
    int **items;
    int size;
    int capacity;
};

static int push(struct vector *vector, int *item) {
    if (vector->size == vector->capacity) {
        int capacity = vector->capacity ? vector->capacity * 2 : 4;
        if (capacity > 1000000)
            return 0;
        int **items = realloc(vector->items, capacity * sizeof *items);
        if (!items)
            return 0;
        vector->items = items;
        vector->capacity = capacity + 1;
    }
    vector->items[vector->size++] = item;  // FAILS: out_of_bounds
    return 1;
}

int main(void) {
    struct vector vector = {NULL, 0, 0};
    while (__VERIFIER_nondet_int()) {
        int *item = malloc(sizeof *item);
        if (!item)
            break;
        *item = 1;
        if (!push(&vector, item)) {
            free(item);
            break;
        }
    }
    for (int i = 0; i < vector.size; i++)
        free(vector.items[i]);
    free(vector.items);
    return 0;
}
