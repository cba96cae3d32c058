// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A priority queue: a binary heap in an array of a fixed size.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#define CAPACITY 100

struct heap {
    int *items;
    int size;
};

static int push(struct heap *heap, int value) {
    if (heap->size >= CAPACITY)
        return 0;
    int i = heap->size++;
    heap->items[i] = value;
    while (i > 0) {
        int parent = (i - 1) / 2;
        if (heap->items[parent] <= heap->items[i])
            break;
        int held = heap->items[parent];
        heap->items[parent] = heap->items[i];
        heap->items[i] = held;
        i = parent;
    }
    return 1;
}

static int pop(struct heap *heap, int *value) {
    if (heap->size == 0)
        return 0;
    *value = heap->items[0];
    heap->size--;
    heap->items[0] = heap->items[heap->size];
    int i = 0;
    for (;;) {
        int child = 2 * i + 1;
        if (child >= heap->size)
            break;
        if (child + 1 < heap->size && heap->items[child + 1] < heap->items[child])
            child++;
        if (heap->items[i] <= heap->items[child])
            break;
        int held = heap->items[child];
        heap->items[child] = heap->items[i];
        heap->items[i] = held;
        i = child;
    }
    return 1;
}

int main(void) {
    struct heap heap;
    heap.items = malloc(CAPACITY * sizeof *heap.items);
    if (!heap.items)
        return 1;
    heap.size = 0;
    int value = 0;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            push(&heap, __VERIFIER_nondet_int());
        else
            pop(&heap, &value);
    }
    free(heap.items);
    return 0;
}
