"""Programs with arrays, texts and counts that fail: each is an example with one line changed.

A compiled run with AddressSanitizer shows that the changed program fails. No analysis proves it, with any attempt.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.unsafe_c.arrays.changed_counts import CHANGED_COUNTS, Change
from tests.unsafe_c.arrays.changed_owners import CHANGED_OWNERS

from kleene.analysis.c.shape.analyse import analyse
from kleene.c.reader import read_program
from kleene.core.verdict import kinds_of
from kleene.passes.preparation import Prepared

EXAMPLES = Path(__file__).parents[3] / "examples" / "c"
INPUTS = """
#include <stdlib.h>
static int next_number(void) {
    static char *rest;
    if (!rest)
        rest = getenv("INPUTS");
    return rest ? (int)strtol(rest, &rest, 10) : 0;
}
int __VERIFIER_nondet_int(void) { return next_number(); }
unsigned __VERIFIER_nondet_uint(void) { return (unsigned)next_number(); }
"""
KINDS = kinds_of(["memsafety", "memcleanup", "assert", "unreach"])
SECONDS = 60.0
RUNS = 60
NUMBERS = (0, 1, 1, 1, 2, 3, 5, 7, -1)
OWN_NUMBERS = {"trie": (0, 1, 97, 98, 121, 122, 123), "bucket_table": (0, 1, 1, 1, 64, 128)}
"""The numbers that matter in some programs: letters, and keys of the same bucket."""
IN_OR_OUT = ((1, 1, 1), (1, 0))
"""The inputs of a round that stores a number, and of one that takes one."""
SIGNS = (b"ERROR: AddressSanitizer", b"LeakSanitizer", b"runtime error", b"Assertion")
"""What a run writes that fails."""
GCC = shutil.which("gcc")
CHANGED: dict[str, list[Change]] = {
    "chained_table": [
        ("i < table->count", "i <= table->count"),
        ("i < table->count", "i + 1 < table->count"),
        ("unsigned i = 0; i < table", "unsigned i = 1; i < table"),
        ("key % table->count", "key % (table->count + 1)"),
        ("calloc(count, sizeof *table->buckets)", "malloc(count * sizeof *table->buckets)"),
        ("calloc(count, sizeof *table->buckets)", "calloc(count - 1, sizeof *table->buckets)"),
        ("table->count = count;", "table->count = count + 1;"),
        ("    free(table->buckets);\n    free(table);", "    free(table);"),
        ("    free(table->buckets);\n    free(table);", "    free(table);\n    free(table->buckets);"),
        ("fresh->next = table->buckets[bucket];", "fresh->next = NULL;"),
        ("            free(e);\n            e = next;", "            free(e);\n            e = e->next;"),
        ("    destroy(table);\n    return 0;", "    destroy(table);\n    insert(table, 1);\n    return 0;"),
    ],
    "list_heads": [
        ("int i = 0; i < n; i++)\n        heads[i] = NULL", "int i = 1; i < n; i++)\n        heads[i] = NULL"),
        ("int i = 0; i < n; i++)\n        heads[i] = NULL", "int i = 0; i <= n; i++)\n        heads[i] = NULL"),
        ("int i = 0; i < n; i++)\n        heads[i] = NULL", "int i = 0; i < n - 1; i++)\n        heads[i] = NULL"),
        ("if (i < 0 || i >= n)", "if (i < 0 || i > n)"),
        ("if (i < 0 || i >= n)", "if (i >= n)"),
        ("fresh->next = heads[i];\n        heads[i] = fresh;", "fresh->next = NULL;\n        heads[i] = fresh;"),
        ("int i = 0; i < n; i++) {", "int i = 0; i < n; i += 2) {"),
        ("int i = 0; i < n; i++) {", "int i = 0; i < n - 1; i++) {"),
        ("    free(heads);\n", ""),
        ("    free(heads);\n", "    free(heads);\n    if (heads[0])\n        return 1;\n"),
        ("    free(heads);\n", "    free(heads + 1);\n"),
        ("malloc(n * sizeof *heads)", "malloc((n - 1) * sizeof *heads)"),
    ],
    "bucket_table": [
        ("(unsigned)key % 64", "(unsigned)key % 65"),
        ("int i = 0; i < 64", "int i = 0; i <= 64"),
        ("int i = 0; i < 64", "int i = 1; i < 64"),
        ("calloc(1, sizeof *table)", "malloc(sizeof *table)"),
        ("            *link = e->next;\n", ""),
        ("fresh->next = table->buckets[bucket];", "fresh->next = NULL;"),
        (
            "    destroy(table);\n    return 0;",
            "    struct entry **first = &table->buckets[5];\n    destroy(table);\n    return *first != NULL;",
        ),
        (
            "    destroy(table);\n    return 0;",
            "    ((void **)table)[2] = NULL;\n    destroy(table);\n    return 0;",
        ),
    ],
    "trie": [
        ("i < 26", "i <= 26"),
        ("i < 26", "i < 25"),
        ("letter > 'z'", "letter > 'z' + 1"),
        ("        destroy(node->kid[i]);", "        if (i != 1)\n            destroy(node->kid[i]);"),
        ("        destroy(node->kid[i]);", "        destroy(node->kid[i / 2]);"),
        ("if (!node->kid[i]) {", "if (node->ends || !node->kid[i]) {"),
        ("calloc(1, sizeof(struct node))", "malloc(sizeof(struct node))"),
    ],
    "vector": [
        ("vector->size == vector->capacity", "vector->size > vector->capacity"),
        ("vector->capacity = capacity;", "vector->capacity = capacity + 1;"),
        ("vector->capacity = capacity;", ""),
        ("vector->items = items;", ""),
        ("vector->items[vector->size++] = item;", "vector->items[++vector->size] = item;"),
        ("vector->items[vector->size++] = item;", "vector->items[vector->size] = item;"),
        ("i < vector.size", "i <= vector.size"),
        ("i < vector.size", "i < vector.capacity"),
        ("int i = 0; i < vector.size", "int i = 1; i < vector.size"),
        ("    free(vector.items);\n", ""),
        ("int **items = realloc(vector->items,", "int **items = realloc(NULL,"),
    ],
    "pointer_stack": [
        ("if (top == 64)", "if (top == 65)"),
        ("stack[top++] = block;", "stack[++top] = block;"),
        ("return stack[--top];", "return stack[top--];"),
        ("return stack[--top];", "return stack[top - 1];"),
        ("while (top > 0)", "while (top > 1)"),
        ("free(pop());\n        }", "pop();\n        }"),
    ],
    "binary_heap": [
        ("heap->size >= CAPACITY", "heap->size > CAPACITY"),
        ("if (child >= heap->size)", "if (child > 2 * heap->size)"),
        ("if (heap->size == 0)", "if (heap->size < 0)"),
        ("    free(heap.items);\n", ""),
    ],
    "ring_buffer": [
        ("(ring->head + ring->count) % ring->capacity", "(ring->head + ring->count)"),
        ("(ring->head + 1) % ring->capacity", "(ring->head + 1)"),
        ("malloc(ring.capacity *", "malloc((ring.capacity - 1) *"),
        ("% ring->capacity] = value", "% (ring->capacity + 1)] = value"),
    ],
    "matrix": [
        ("calloc(columns, sizeof **matrix)", "calloc(columns - 1, sizeof **matrix)"),
        ("calloc(columns, sizeof **matrix)", "calloc(i % 2 ? columns : 1, sizeof **matrix)"),
        ("j < columns", "j <= columns"),
        ("int **matrix = create(rows, columns);", "int **matrix = create(rows, columns);\n    columns++;"),
        ("free(matrix[i]);\n    free(matrix);\n    return 0", "free(++matrix[i]);\n    free(matrix);\n    return 0"),
        ("i < rows; i++)\n        for", "i <= rows; i++)\n        for"),
    ],
    "matrix_flat": [
        ("matrix[i * width + j]", "matrix[i * height + j]"),
        ("matrix[i * width + j]", "matrix[j * width + i]"),
        ("j < width", "j <= width"),
        ("int sum = 0;", "int sum = 0;\n    width++;"),
        ("matrix[i * width];", "matrix[(i + 1) * width];"),
        ("height * width * sizeof *matrix", "height * width"),
    ],
    "flexible_numbers": [
        ("i < numbers->count; i++)\n        numbers", "i <= numbers->count; i++)\n        numbers"),
        ("count * sizeof(int)", "count"),
        ("count < 0 || ", ""),
        ("numbers->count = count;", "numbers->count = count + 1;"),
        (
            "    free(numbers);\n    return sum",
            "    int *first = numbers->values;\n    free(numbers);\n    return *first + sum",
        ),
        ("    free(numbers);\n", "    free(numbers->values);\n"),
    ],
}
CHANGED |= CHANGED_COUNTS | CHANGED_OWNERS
CASES = [(name, number) for name, changes in CHANGED.items() for number in range(len(changes))]
each = pytest.mark.parametrize(("name", "number"), CASES)
LONG = frozenset(("pointer_stack", "binary_heap", "ring_buffer"))
"""Programs that may fail only after their array of a fixed size is full."""
HELD = frozenset((("vector", 9), ("pointer_stack", 4), ("binary_heap", 2), ("binary_heap", 3)))
"""Programs that end with blocks that something still leads to: to a leak detector these are not lost."""


def changed_text(name: str, number: int) -> str:
    text = (EXAMPLES / f"{name if '/' in name else f'arrays/{name}'}.c").read_text(encoding="utf-8")
    old, new = CHANGED[name][number]
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.skipif(GCC is None, reason="there is no gcc")
@each
def test_it_fails_in_a_compiled_run(name: str, number: int, tmp_path: Path) -> None:
    """Else what the next test demands would not be soundness."""
    if (name, number) in HELD:
        pytest.skip("no sanitizer reports blocks that are held at the end")
    source, inputs, binary = tmp_path / "program.c", tmp_path / "inputs.c", tmp_path / "program"
    source.write_text(changed_text(name, number), encoding="utf-8")
    inputs.write_text(INPUTS, encoding="utf-8")
    flags = ["-w", "-O0", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    subprocess.run([str(GCC), *flags, "-o", str(binary), str(source), str(inputs)], check=True)
    rng = random.Random(0)
    for count in range(RUNS):
        length = 400 if name in LONG else 12
        kinds = (
            [rng.choice((1, 2)) for _ in range(length)],
            [rng.choice(OWN_NUMBERS.get(name, NUMBERS)) for _ in range(length)],
            [number for _ in range(length // 2) for number in rng.choice(IN_OR_OUT)],
            [*[1] * (count % 5 + 1), 0, count % 5],  # so many are stored, then the last one is asked for
        )
        numbers = kinds[count % len(kinds)]
        environment = {**os.environ, "INPUTS": " ".join(map(str, numbers)), "ASAN_OPTIONS": "detect_leaks=1"}
        run = subprocess.run([str(binary)], env=environment, capture_output=True, check=False, timeout=20)
        if any(sign in run.stderr for sign in SIGNS):
            return
    pytest.fail("no run fails")


@each
def test_it_is_not_proved(name: str, number: int, tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(changed_text(name, number), encoding="utf-8")
    prepared = Prepared(read_program([str(source)]))
    result = analyse(prepared, malloc_may_fail=False, seconds=SECONDS, kinds=KINDS)
    assert not result.complete or result.alarms
