// RUN: kleene check
// EXPECT: memsafety=TRUE memcleanup=TRUE unreach=TRUE assert=TRUE
// A ring buffer of numbers: positions wrap around at the capacity.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct ring {
    int *data;
    unsigned capacity;
    unsigned head;
    unsigned count;
};

static int put(struct ring *ring, int value) {
    if (ring->count == ring->capacity)
        return 0;
    ring->data[(ring->head + ring->count) % ring->capacity] = value;
    ring->count++;
    return 1;
}

static int take(struct ring *ring, int *value) {
    if (ring->count == 0)
        return 0;
    *value = ring->data[ring->head];
    ring->head = (ring->head + 1) % ring->capacity;
    ring->count--;
    return 1;
}

int main(void) {
    struct ring ring;
    ring.capacity = 16;
    ring.data = malloc(ring.capacity * sizeof *ring.data);
    if (!ring.data)
        return 1;
    ring.head = 0;
    ring.count = 0;
    int value = 0;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            put(&ring, __VERIFIER_nondet_int());
        else
            take(&ring, &value);
    }
    free(ring.data);
    return 0;
}
