/* A vector of pointers that grows, and a ring of numbers. */
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct vector {
    void **data;
    size_t size, capacity;
};

static int push(struct vector *v, void *item) {
    if (v->size == v->capacity) {
        size_t wanted = v->capacity ? 2 * v->capacity : 2;
        void **moved = realloc(v->data, wanted * sizeof *moved);
        if (moved == NULL)
            return -1;
        v->data = moved;
        v->capacity = wanted;
    }
    v->data[v->size++] = item;
    return 0;
}

static void *pop(struct vector *v) {
    if (v->size == 0)
        return NULL;
    return v->data[--v->size];
}

static void clear(struct vector *v) {
    for (size_t i = 0; i < v->size; i++)
        free(v->data[i]);
    free(v->data);
}

int main(void) {
    struct vector v = {NULL, 0, 0};
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            int *item = malloc(sizeof *item);
            if (item == NULL)
                break;
            *item = 1;
            if (push(&v, item) < 0) {
                free(item);
                break;
            }
        } else {
            int *item = pop(&v);
            if (item != NULL)
                *item = 2;
            free(item);
        }
    }
    clear(&v);
    return 0;
}
