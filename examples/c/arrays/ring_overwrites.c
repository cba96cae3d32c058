// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A ring of numbers on the heap whose oldest number is overwritten where it is full.
#include <stdio.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct ring {
    int *numbers;
    int capacity, head, tail, full;
};

static struct ring *create(int capacity) {
    if (capacity <= 0 || capacity > 100000)
        return NULL;
    struct ring *ring = malloc(sizeof *ring);
    if (!ring)
        return NULL;
    ring->numbers = malloc(capacity * sizeof *ring->numbers);
    if (!ring->numbers) {
        free(ring);
        return NULL;
    }
    ring->capacity = capacity;
    ring->head = ring->tail = ring->full = 0;
    return ring;
}

static void put(struct ring *ring, int number) {
    ring->numbers[ring->head] = number;
    if (ring->full && ++ring->tail == ring->capacity)
        ring->tail = 0;
    ring->head++;
    if (ring->head == ring->capacity)
        ring->head = 0;
    ring->full = ring->head == ring->tail;
}

static int get(struct ring *ring, int *number) {
    if (!ring->full && ring->head == ring->tail)
        return 0;
    *number = ring->numbers[ring->tail];
    ring->tail = (ring->tail + 1) % ring->capacity;
    ring->full = 0;
    return 1;
}

int main(void) {
    struct ring *ring = create(__VERIFIER_nondet_int());
    int number = 0;
    if (!ring) {
        puts("no ring of this capacity");
        return 1;
    }
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            put(ring, number);
        else
            get(ring, &number);
    }
    free(ring->numbers);
    free(ring);
    return 0;
}
