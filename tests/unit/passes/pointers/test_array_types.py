"""Arrays of pointers from allocators that return `void *`: their sizes and types come from the callers."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.check import check
from kleene.analysis.c.options import check_options
from kleene.c.reader import read_program
from kleene.cfa.operations import Allocate, Realloc
from kleene.core.verdict import Verdict
from kleene.passes.calls.inline import inline
from kleene.passes.pointers.array_types import with_array_types

VECTOR = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static void *xrealloc(void *p, size_t n) { void *r = realloc(p, n); if (!r) abort(); return r; }
static void *xmalloc(size_t n) { void *r = malloc(n); if (!r) abort(); return r; }
struct array { void **array; size_t count, total; };
static void append(struct array *a, void *x) {
    if (a->count == a->total) {
        a->total += 4;
        a->array = xrealloc(a->array, sizeof(void *) * a->total);
    }
    a->array[a->count++] = x;
}
int main(void) {
    struct array a = { NULL, 0, 4 };
    a.array = xmalloc(4 * sizeof *a.array);
    while (__VERIFIER_nondet_int())
        append(&a, xmalloc(4));
    for (size_t i = 0; i < a.count; i++)
        free(a.array[i]);
    free(a.array);
    return 0;
}
"""
SECONDS = 60.0
"""It takes 2 s of the processor."""


@pytest.mark.parametrize(
    ("change", "verdict"),
    [(("", ""), Verdict.TRUE), (("a->count == a->total", "a->count > a->total"), Verdict.FALSE)],
    ids=["correct", "grows too late"],
)
def test_a_vector_from_allocators_of_the_program(change: tuple[str, str], verdict: Verdict, tmp_path: Path) -> None:
    """Its block had no element type and no number of elements: 'realloc with a size that may be 0'."""
    path = tmp_path / "vector.c"
    path.write_text(VECTOR.replace(*change))
    assert check([str(path)], check_options(timeout=SECONDS)).verdict is verdict


WRAPPER = """
#include <stdlib.h>
static void *make(size_t n) { BODY; return malloc(n); }
int main(int argc, char **argv) {
    size_t count = argc;
    void **array = make(count * sizeof *array);
    free(array);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("body", "typed"), [("", True), ("int seen = 1; (void)seen", True), ("n = n + 1", False), ("n += 8", False)]
)
def test_sizes_are_those_of_the_caller_where_nothing_changes_them(body: str, typed: bool, tmp_path: Path) -> None:
    """A size that the allocator changes is its own."""
    path = tmp_path / "wrapper.c"
    path.write_text(WRAPPER.replace("BODY", body))
    program = with_array_types(inline(read_program([str(path)])))
    made = [e.label for e in program.main.cfa.edges if isinstance(e.label, Allocate | Realloc)]
    assert [str(o.element) == "void *" for o in made if isinstance(o, Allocate)] == [typed]
    assert ("count" in str(made[0].size)) is typed


def test_a_value_that_changes_before_the_allocation_is_not_taken(tmp_path: Path) -> None:
    """The size of an outer allocator's argument is the one at the call, though the variable has another value later."""
    text = WRAPPER.replace("BODY", "").replace(
        "int main", "static void *outer(size_t m, size_t *p) { size_t k = m; *p = 3; return make(k); }\nint main"
    )
    path = tmp_path / "wrapper.c"
    path.write_text(text.replace("make(count * sizeof *array)", "outer(count * sizeof *array, &count)"))
    program = with_array_types(inline(read_program([str(path)])))
    (made,) = (e.label for e in program.main.cfa.edges if isinstance(e.label, Allocate))
    assert "count" not in str(made.size) and made.element is None
