"""Lists whose data are numbers, converted to pointers and back: proved, and no change that uses such a pointer is.

The shape analysis is asked alone. The changes follow a number that is computed from an address on its way through
variables, memory, functions and sums: the pointer that it becomes is one to a block that was freed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.shape.analyse import analyse
from kleene.c.reader import read_program
from kleene.core.verdict import kinds_of
from kleene.passes.preparation import Prepared
from kleene.results.shape import ShapeResult

SECONDS = 20.0
KINDS = kinds_of(["memsafety"])
LIST = """
#include <stdlib.h>
#include <stdint.h>
extern int nondet(void);
struct node { void *data; struct node *next; };
static long kept;
static struct node *push(struct node *head, void *data) {
    struct node *new = malloc(sizeof *new);
    if (!new) return head;
    new->data = data;
    new->next = head;
    return new;
}
static void *nth(struct node *head, int n) {
    for (int i = 0; head && i < n; i++) head = head->next;
    return head ? head->data : NULL;
}
static long down(int n, long value) { return n > 0 ? down(n - 1, value) + 0 : value; }
int main(void) {
    struct node *head = NULL;
    long sum = 0;
    int *block = malloc(sizeof *block);
    if (!block) return 1;
    *block = 1;
    while (nondet()) {
        int k = nondet();
        if (nondet()) head = push(head, (void *)(intptr_t)k);
        else sum += (intptr_t)nth(head, k);
    }
    free(block);
    /* here */
    while (head) { struct node *next = head->next; free(head); head = next; }
    return sum == 3;
}
"""
CHANGED = {
    "data that is read": ("/* here */", "if (head) *(int *)head->data = 1;"),
    "data that is freed": ("/* here */", "if (head) free(head->data);"),
    "an address as data": (
        "head = push(head, (void *)(intptr_t)k);",
        "head = push(head, block), sum = *(int *)nth(head, 0);",
    ),
    "an address that comes back": ("/* here */", "long a = (long)block; *(int *)a = 1;"),
    "through a sum": ("/* here */", "long a = (long)block + k0(); a -= 1; *(int *)a = 1;"),
    "through a variable that others may read": ("/* here */", "kept = (long)block; *(int *)kept = 1;"),
    "through memory": ("/* here */", "long *a = malloc(8); if (a) { *a = (long)block; *(int *)*a = 1; free(a); }"),
    "through a recursive function": ("/* here */", "*(int *)down(nondet(), (long)block) = 1;"),
    "through a conversion of data": ("/* here */", "head = push(head, block); if (head) *(int *)(long)head->data = 1;"),
}
HELPER = ("int main(void) {", "static long k0(void) { return 1; }\nint main(void) {")


def _result(text: str, folder: Path) -> ShapeResult:
    path = folder / "list.c"
    path.write_text(text)
    return analyse(Prepared(read_program([str(path)])), malloc_may_fail=True, seconds=SECONDS, kinds=KINDS)


def test_numbers_as_data_are_proved(tmp_path: Path) -> None:
    result = _result(LIST, tmp_path)
    assert result.complete
    assert not {alarm.kind for alarm in result.alarms} & KINDS


@pytest.mark.parametrize("name", CHANGED)
def test_no_change_is_proved(name: str, tmp_path: Path) -> None:
    assert CHANGED[name][0] in LIST
    result = _result(LIST.replace(*CHANGED[name]).replace(*HELPER), tmp_path)
    assert not result.complete or {alarm.kind for alarm in result.alarms} & KINDS
