"""Changes of examples with vectors, stacks and rings that own what is in them: each makes the program fail."""

from __future__ import annotations

from tests.unsafe_c.arrays.changed_counts import Change

CHANGED_OWNERS: dict[str, list[Change]] = {
    "generic_vector": [
        ("vector->size == vector->capacity", "vector->size > vector->capacity"),
        ("vector->capacity * 2);", "vector->capacity);"),
        ("        vector->data = data;\n", ""),
        ("size_t i = 0; i < vector->size", "size_t i = 1; i < vector->size"),
        ("    free(vector->data);\n    free(vector);", "    free(vector);"),
        ("    destroy(vector);\n    return 0;", "    destroy(vector);\n    free(vector);\n    return 0;"),
    ],
    "growing_stack": [
        ("if (top == capacity)", "if (top > capacity)"),
        ("capacity * 2", "capacity"),
        ("capacity = more;", "capacity = more + 1;"),
        ("stack[top++] = fresh;", "stack[++top] = fresh;"),
        ("stack[--top];", "stack[top--];"),
        ("    free(last);\n", "    free(last);\n    value = stack[top]->value;\n"),
        ("    while (top > 0)\n        pop();", "    while (top > 0)\n        free(stack[top--]);"),
        ("    free(stack);\n", "    if (capacity > 0 && top == 0)\n        free(stack[0]);\n    free(stack);\n"),
    ],
    "owned_names": [
        ("2 * names->capacity : 4", "names->capacity : 4"),
        ("names->capacity = capacity;", "names->capacity = capacity + 1;"),
        ("names->v[names->n++] = copy;", "names->v[names->n] = copy;"),
        (
            "while (names->n--)\n        free(names->v[names->n]);",
            "while (names->n-- > 1)\n        free(names->v[names->n]);",
        ),
        ("while (names->n--)", "while (--names->n)"),
        (
            "while (names->n--)\n        free(names->v[names->n]);",
            "do\n        free(names->v[names->n]);\n    while (names->n--);",
        ),
    ],
    "reserved_vector": [
        ("vector->length + 1)", "vector->length)"),
        ("wanted <= capacity", "wanted <= capacity + 1"),
        ("capacity < wanted", "capacity + 1 < wanted"),
        ("--vector->length]", "vector->length--]"),
        ("i < vector->length", "i < vector->capacity"),
        ("size_t i = 0; i < vector->length", "size_t i = 1; i < vector->length"),
        ("free(pop(vector));", "pop(vector);"),
    ],
    "ring_overwrites": [
        ("if (ring->head == ring->capacity)", "if (ring->head > ring->capacity)"),
        ("++ring->tail == ring->capacity", "++ring->tail > ring->capacity"),
        ("(ring->tail + 1) % ring->capacity", "(ring->tail + 1) % (ring->capacity + 1)"),
        ("malloc(capacity * sizeof", "malloc((capacity - 1) * sizeof"),
    ],
}
