"""Sums that a condition was on, sizes of blocks, lengths of rows: what the preparation of a program leaves to prove."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.check import check
from kleene.analysis.c.options import CheckOptions
from kleene.c.reader import read_program
from kleene.cfa.operations import Error, Unsupported
from kleene.core.verdict import Verdict
from kleene.passes.prepare import whole_program

START = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
"""
SUM = """
int main(void) {
    int used = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    if (used < 0 || used > 63 || n < 0 || n > 63)
        return 0;
    char *buffer = malloc(64);
    if (!buffer)
        return 1;
    int c = __VERIFIER_nondet_int();
    if (c) {
        if (used + n >= 64) { free(buffer); return 0; }
        c = __VERIFIER_nondet_int();
    } else OTHER
    buffer[used + n] = 0;
    free(buffer);
    return 0;
}
"""


def alarms(tmp_path: Path, text: str) -> set[str]:
    """The kinds of errors, and 'unsupported', that a prepared program still has edges for."""
    path = tmp_path / "program.c"
    path.write_text(START + text)
    program = whole_program(read_program(path))
    labels = [e.label for f in program.functions.values() for e in f.cfa.edges]
    kinds = {label.kind for label in labels if isinstance(label, Error)}
    return kinds | {"unsupported" for label in labels if isinstance(label, Unsupported)}


def test_a_condition_on_a_sum_holds_on_its_way_only(tmp_path: Path) -> None:
    """A state in which ``used + n < 64`` covered one without the condition: ``buffer[126]`` was proved to be inside."""
    assert "out_of_bounds" in alarms(tmp_path, SUM.replace("OTHER", "c = 0;"))
    both = "{ if (used + n > 60) { free(buffer); return 0; } c = 0; }"
    assert alarms(tmp_path, SUM.replace("OTHER", both)) == set()


def test_loops_of_recursive_functions_end(tmp_path: Path) -> None:
    """The relations did not end where a recursive function has a loop to a limit that varies."""
    text = """
    static void fill(int *a, int n) {
        if (n <= 0) return;
        for (int i = 0; i < n; i++) a[i] = i;
        fill(a, n - 1);
        fill(a, n - 2);
    }
    int main(void) { int a[8]; fill(a, __VERIFIER_nondet_int()); return 0; }
    """
    assert "out_of_bounds" in alarms(tmp_path, text)


GROWS = """
struct builder { char *text; int length, room; };
int main(void) {
    struct builder *b = malloc(sizeof *b);
    if (!b) return 1;
    b->text = malloc(16);
    if (!b->text) { free(b); return 1; }
    b->length = 0;
    b->room = 16;
    while (__VERIFIER_nondet_int()) {
        if (b->length + 1 >= b->room) {
            char *more = realloc(b->text, b->room * 2);
            if (!more) break;
            b->text = more;
            b->room *= 2;
        }
        b->text[b->length++] = 'a';
        b->text[b->length] = 0;
    }
    free(b->text);
    free(b);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("old", "new", "kinds"),
    [
        ("", "", set()),
        ("b->length + 1 >= b->room", "b->length + 1 > b->room", {"out_of_bounds"}),
        ("b->room *= 2", "b->room *= 3", {"out_of_bounds"}),
        ("b->room = 16", "b->room = 17", {"out_of_bounds"}),
        ("            b->text = more;\n", "", {"out_of_bounds"}),
        ("realloc(b->text, b->room * 2)", "realloc(b->text, b->room + 1)", {"out_of_bounds"}),
    ],
)
def test_a_buffer_of_the_size_of_its_struct_grows(tmp_path: Path, old: str, new: str, kinds: set[str]) -> None:
    """A buffer of 16 bytes was taken for the struct of 16 bytes, and twice an `int` lost its relation to the block."""
    assert alarms(tmp_path, GROWS.replace(old, new, 1) if old else GROWS) == kinds


def verdict(tmp_path: Path, text: str) -> tuple[Verdict, set[str]]:
    path = tmp_path / "program.c"
    path.write_text(START + text)
    report = check([str(path)], CheckOptions())
    return report.verdict, {finding.kind for finding in report.findings}


def test_realloc_to_nothing_frees(tmp_path: Path) -> None:
    """`realloc` with a size that may be 0 was unsupported; to size 0 it frees and returns NULL."""
    freed = "int main(void) { char *p = malloc(4); if (!p) return 1; p = realloc(p, 0); free(p); return 0; }"
    assert verdict(tmp_path, freed)[0] is Verdict.TRUE
    twice = """
    int main(void) {
        char *p = malloc(4);
        if (!p) return 1;
        char *q = realloc(p, __VERIFIER_nondet_int() & 3);
        if (!q) { free(p); return 1; }
        free(q);
        return 0;
    }
    """
    assert verdict(tmp_path, twice) == (Verdict.FALSE, {"double_free"})


BAD_SIZES = {
    "nothing": ("int *p = malloc(0); if (p) { *p = 1; free(p); }", "out_of_bounds"),
    "less than nothing": ("int n = -1; int *p = malloc(n); if (p) { *p = 1; free(p); }", ""),
    "wraps": ("unsigned n = 1u << 30; int *p = malloc(n * 4u); if (p) { p[0] = 1; free(p); }", "out_of_bounds"),
    "negative index": ("int *p = malloc(16); int i = -1; if (p) { p[i] = 1; free(p); }", "out_of_bounds"),
    "negative input": (
        "int n = __VERIFIER_nondet_int(); int *p = malloc(16); if (p) { if (n < 4) p[n] = 1; free(p); }",
        "out_of_bounds",
    ),
}


@pytest.mark.parametrize("name", BAD_SIZES)
def test_bad_sizes_are_findings(tmp_path: Path, name: str) -> None:
    """A size of 0, one that wraps and an index less than 0 are errors that a run shows."""
    body, kind = BAD_SIZES[name]
    expected = (Verdict.FALSE, {kind}) if kind else (Verdict.TRUE, set())
    assert verdict(tmp_path, f"int main(void) {{ {body} return 0; }}") == expected
