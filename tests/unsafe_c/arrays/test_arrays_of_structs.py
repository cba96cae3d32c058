"""Arrays of structs that own blocks: the attempt `owned`, alone, proves them, and none of the changed ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import in_exam
from tests.unsafe_c.alone import is_proved_by

SECONDS = 120.0
PAIRS = """
#include <stdlib.h>
extern int nondet(void);
struct pair { int rank; int *key; int *value; };
int main(void) {
    struct pair *a = malloc(16 * sizeof *a);
    int n = 0;
    if (!a) return 1;
    while (nondet()) {
        if (n > 0 && nondet()) {
            int i = nondet();
            if (i < 0 || i >= n) continue;
            free(a[i].key);
            free(a[i].value);
            n--;
            a[i] = a[n];
        } else if (n < 16) {
            int *k = malloc(sizeof *k);
            if (!k) break;
            a[n].rank = nondet();
            a[n].key = k;
            a[n].value = NULL;
            if (nondet()) a[n].value = malloc(sizeof *k);
            n++;
        }
    }
    for (int i = 0; i < n; i++) { free(a[i].key); free(a[i].value); }
    free(a);
    return 0;
}
"""
WRONG_PAIRS = {
    "the value is not freed": ("            free(a[i].value);\n", ""),
    "one member of the last is moved": ("a[i] = a[n];", "a[i].key = a[n].key;"),
    "the last one is not moved": ("            a[i] = a[n];\n", ""),
    "the last one counts still": ("            n--;\n            a[i] = a[n];", "            a[i] = a[n - 1];"),
    "an element too many": ("n < 16", "n <= 16"),
    "the value is not set": ("            a[n].value = NULL;\n", ""),
    "the number behind the array": ("a[n].rank = nondet();", "a[n + 1].rank = nondet();"),
    "any index": ("i < 0 || i >= n", "i < 0 || i > n"),
    "both members are one block": (
        "a[n].value = NULL;\n            if (nondet())",
        "a[n].value = k;\n            if (0)",
    ),
    "one element too much is freed": ("for (int i = 0; i < n;", "for (int i = 0; i <= n;"),
}
HEAP = """
#include <stdlib.h>
extern int nondet(void);
struct item { int key; void *data; };
struct heap { struct item *a; int n, cap; };
static int push(struct heap *h, int key, void *data) {
    if (h->n == h->cap) {
        struct item *a = realloc(h->a, 2 * h->cap * sizeof *a);
        if (!a) return -1;
        h->a = a;
        h->cap *= 2;
    }
    int i = h->n++;
    h->a[i].key = key;
    h->a[i].data = data;
    while (i > 0 && h->a[(i - 1) / 2].key > h->a[i].key) {
        struct item t = h->a[i];
        h->a[i] = h->a[(i - 1) / 2];
        h->a[(i - 1) / 2] = t;
        i = (i - 1) / 2;
    }
    return 0;
}
static void *pop(struct heap *h) {
    if (h->n == 0) return NULL;
    void *top = h->a[0].data;
    struct item last = h->a[--h->n];
    int i = 0;
    while (2 * i + 1 < h->n) {
        int c = 2 * i + 1;
        if (c + 1 < h->n && h->a[c + 1].key < h->a[c].key) c++;
        if (last.key <= h->a[c].key) break;
        h->a[i] = h->a[c];
        i = c;
    }
    h->a[i] = last;
    return top;
}
int main(void) {
    struct heap *h = malloc(sizeof *h);
    if (!h) return 1;
    h->a = malloc(16 * sizeof *h->a);
    if (!h->a) { free(h); return 1; }
    h->n = 0;
    h->cap = 16;
    while (nondet()) {
        if (nondet()) {
            int *d = malloc(sizeof *d);
            if (!d) break;
            if (push(h, nondet(), d) < 0) { free(d); break; }
        } else free(pop(h));
    }
    for (int i = 0; i < h->n; i++) free(h->a[i].data);
    free(h->a);
    free(h);
    return 0;
}
"""
WRONG_HEAPS = {
    "no growth": ("if (h->n == h->cap) {", "if (0) {"),
    "a growth that is too late": ("if (h->n == h->cap) {", "if (h->n > h->cap) {"),
    "the capacity grows twice": ("h->cap *= 2;", "h->cap *= 4;"),
    "one exchanged element twice": ("h->a[(i - 1) / 2] = t;", "h->a[i / 2] = t;"),
    "the hole is not filled": ("    h->a[i] = last;\n", ""),
    "the hole moves without its element": ("        h->a[i] = h->a[c];\n", ""),
    "a child behind the last one": ("h->a[c].key) c++;", "h->a[c].key) c += 3;"),
    "the last one is in the heap still": ("last = h->a[--h->n];", "last = h->a[h->n - 1];"),
    "what was not kept is lost": ("{ free(d); break; }", "break;"),
    "what is taken is lost": ("free(pop(h));", "pop(h);"),
    "the first one is freed in the end, too": ("free(pop(h));", "{ void *p = pop(h); if (nondet()) free(p); }"),
}
MOVED = """
#include <stdlib.h>
#include <string.h>
extern int nondet(void);
struct name { int rank; char *text; };
int main(void) {
    struct name *a = malloc(8 * sizeof *a);
    size_t n = 0;
    if (!a) return 1;
    while (n < 8 && nondet()) {
        a[n].rank = 1;
        a[n].text = strdup("name");
        if (!a[n].text) break;
        n++;
    }
    if (n > 2) {
        free(a[1].text);
        memmove(a + 1, a + 2, (n - 2) * sizeof *a);
        n--;
    }
    for (size_t i = 0; i < n; i++) free(a[i].text);
    free(a);
    return 0;
}
"""
WRONG_MOVES = {
    "one too many": ("(n - 2) * sizeof *a", "(n - 1) * sizeof *a"),
    "one too few": ("(n - 2) * sizeof *a", "(n - 3) * sizeof *a"),
    "to another place": ("memmove(a + 1, a + 2", "memmove(a, a + 1"),
    "the old number": ("        n--;\n", ""),
}
PROGRAMS = {"pairs": PAIRS, "heap": HEAP, "moved": MOVED}
WRONG = [
    pytest.param(text, *change, id=name)
    for text, changes in ((PAIRS, WRONG_PAIRS), (HEAP, WRONG_HEAPS), (MOVED, WRONG_MOVES))
    for name, change in changes.items()
]


def test_elements_with_two_blocks_are_proved(tmp_path: Path) -> None:
    """It was UNKNOWN: an array of structs, from which elements are removed at any index."""
    assert is_proved_by("owned", PAIRS, tmp_path)


@in_exam
@pytest.mark.parametrize("name", ["heap", "moved"])
def test_arrays_of_structs_are_proved(name: str, tmp_path: Path) -> None:
    """They were UNKNOWN: a heap whose indices are halved again and again, and `memmove` of structs."""
    assert is_proved_by("owned", PROGRAMS[name], tmp_path, SECONDS)


@in_exam
@pytest.mark.parametrize(("text", "old", "new"), WRONG)
def test_wrong_arrays_of_structs_are_not_proved(text: str, old: str, new: str, tmp_path: Path) -> None:
    assert old in text
    assert not is_proved_by("owned", text.replace(old, new), tmp_path, SECONDS)
