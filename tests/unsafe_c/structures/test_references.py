"""Graphs whose edges refer to vertices (decision 243), with one change each: the shape analysis, alone, proves none.

The graph as it is shows that it proves something, with references. A compiled run with AddressSanitizer shows that each
changed one fails.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.slices import EXAM

from kleene.analysis.c.shape.analyse import analyse, analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS
from kleene.analysis.c.shape.classes import WITH_REFERENCES
from kleene.c.reader import read_program
from kleene.core.verdict import kinds_of
from kleene.passes.preparation import Prepared
from kleene.results.shape import ShapeResult

EXAMPLE = Path(__file__).parents[3] / "examples" / "c" / "nested" / "graph.c"
GCC = shutil.which("gcc")
KINDS = kinds_of(["memsafety", "memcleanup"])
SECONDS = 60.0
INPUTS = """
#include <stdlib.h>
int __VERIFIER_nondet_int(void) {
    static const int given[] = {1, 1, 2, 1, 2, 1, 1, 3, 2, 1, 2, 3, 0};
    static unsigned i;
    return i < sizeof given / sizeof *given ? given[i++] : 0;
}
"""
"""The edges 1 to 2, 2 to 1, 3 to 2, 2 to 3."""
UNLINK = "struct vertex *u = g.vertices; if (u) { g.vertices = u->next; %s }\n    count_degrees(&g);"
FREE_EDGES = "while (u->out) { struct edge *e = u->out; u->out = e->next; free(e); }"
CHANGED = {
    "an edge to a freed vertex": ("count_degrees(&g);", UNLINK % f"{FREE_EDGES} free(u);"),
    "a vertex that only edges refer to": ("count_degrees(&g);", UNLINK % FREE_EDGES),
    "edges of a freed vertex": ("count_degrees(&g);", (UNLINK % "free(u);").replace("count_degrees(&g);", "")),
    "an edge without an end": ("    e->to = y;\n", ""),
    "an edge to nothing": ("e->to = y;", "e->to = from > to ? NULL : y;"),
    "an edge to a variable that has ended": ("e->to = y;", "struct vertex own = *y; e->to = from > to ? &own : y;"),
    "an edge that frees its end": ("e->to->degree = (e->to->degree + 1) % 1000;", "free(e->to);"),
    "degrees of a graph that is cleared": ("count_degrees(&g);\n    clear(&g);", "struct vertex *v = g.vertices;"
                                           " clear(&g);\n    g.vertices = v; count_degrees(&g);"),
    "edges that are not freed": ("            free(e);\n", ""),
}  # fmt: skip
each = pytest.mark.parametrize("name", CHANGED)


def _write(name: str, folder: Path) -> Path:
    old, new = CHANGED[name]
    text = EXAMPLE.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path = folder / "program.c"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def _result(path: Path) -> ShapeResult:
    """The result of the first attempt, which makes the guess; of all in the exam."""
    prepared = Prepared(read_program([str(path)]))
    if EXAM:
        return analyse(prepared, malloc_may_fail=True, seconds=SECONDS, kinds=KINDS)
    result = analyse_by_attempt(prepared, ATTEMPTS[0], malloc_may_fail=True, seconds=SECONDS)
    assert result is not None
    return result


def test_the_graph_is_proved_with_references() -> None:
    result = _result(EXAMPLE)
    assert result.complete and not result.alarms and WITH_REFERENCES in result.shape_class


@pytest.mark.skipif(GCC is None, reason="there is no gcc")
@each
def test_it_fails_in_a_compiled_run(name: str, tmp_path: Path) -> None:
    """Else what the next test demands would not be soundness."""
    inputs, binary = tmp_path / "inputs.c", tmp_path / "program"
    inputs.write_text(INPUTS)
    flags = ["-w", "-O0", "-fsanitize=address,undefined"]
    subprocess.run([str(GCC), *flags, "-o", str(binary), str(_write(name, tmp_path)), str(inputs)], check=True)
    environment = {"ASAN_OPTIONS": "detect_stack_use_after_return=1"}
    run = subprocess.run([str(binary)], capture_output=True, check=False, text=True, env=environment)
    assert "Sanitizer" in run.stderr or "runtime error" in run.stderr


@each
def test_it_is_not_proved(name: str, tmp_path: Path) -> None:
    result = _result(_write(name, tmp_path))
    assert not result.complete or result.alarms
