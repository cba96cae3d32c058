"""Calls on local heaps for functions that could be inlined, and numbers in nodes that are left out first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.coverage.helpers import attacked, is_proof, read
from tests.unit.analysis.test_apart import HEAD, SAFE, UNSAFE
from tests.unsafe_c.test_unsafe import PROGRAMS, prepared_program

from kleene.analysis.c.check import check
from kleene.analysis.c.options import CheckOptions
from kleene.analysis.c.shape import run
from kleene.analysis.c.shape.analyse import analyse, analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS, kinds_of_alarms
from kleene.analysis.c.shape.run import check_again
from kleene.diagnostics import InternalCheckError
from kleene.engine.tabulate import Tabulated
from kleene.passes.facts import calls
from kleene.passes.preparation import Prepared
from kleene.results.shape import ShapeResult, Way
from kleene.semantics.steps.context import Cause

CALLS = next(row for row in ATTEMPTS if row.way is Way.CALLS)


@pytest.fixture
def every_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """All functions are analysed apart, whatever pays."""
    monkeypatch.setattr(calls, "LEAST_COPIES", 1)
    monkeypatch.setattr(calls, "LEAST_EDGES", 0)
    monkeypatch.setattr(calls.Calls, "_with_addresses", frozenset())


def by_calls(tmp_path: Path, body: str) -> ShapeResult:
    path = tmp_path / "program.c"
    path.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    result = analyse_by_attempt(Prepared(read(path)), CALLS, malloc_may_fail=True, seconds=60)
    assert result is not None
    return result


@pytest.mark.usefixtures("every_function")
@pytest.mark.parametrize("name", SAFE)
def test_calls_are_enough(name: str, tmp_path: Path) -> None:
    result = by_calls(tmp_path, SAFE[name])
    assert result.complete and not result.alarms
    assert result.apart >= {"push"}
    assert check_again(result)


@pytest.mark.usefixtures("every_function")
@pytest.mark.parametrize("name", UNSAFE)
def test_no_alarm_is_lost(name: str, tmp_path: Path) -> None:
    body, kind = UNSAFE[name]
    result = by_calls(tmp_path, body)
    assert not result.complete or kind in kinds_of_alarms(result)


@pytest.mark.usefixtures("every_function")
@pytest.mark.parametrize("name", PROGRAMS)
def test_calls_prove_no_unsafe_program(name: str) -> None:
    result = analyse_by_attempt(prepared_program(name), CALLS, malloc_may_fail=False, seconds=20)
    assert result is None or not result.complete or kinds_of_alarms(result) - {"memory_leak", "memory_cleanup"}


def test_one_summary_serves_all_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Six lists through two functions: 50,966 structures with every call inlined."""
    monkeypatch.setattr(Prepared, "slices", ())  # the lists would be analysed one by one
    lists = "".join(f"struct node *l{i} = fill(); " for i in range(6)) + "".join(f"drop(l{i}); " for i in range(6))
    path = tmp_path / "program.c"
    path.write_text(f"{HEAD}int main(void) {{ {lists} return 0; }}\n")
    program = read(path)
    result = analyse(Prepared(program), malloc_may_fail=True, seconds=60)
    assert is_proof(result) and result.apart >= {"fill", "drop"} and result.structures < 200
    assert isinstance(result.reached, Tabulated)
    names = [activation.name for activation in result.reached.activations]
    assert names.count("fill") == 1 and names.count("drop") == 3  # no node, one node, more nodes
    assert check_again(result)
    assert attacked(program, result, 1.0, max_runs=5).refuted is None


def levels(tmp_path: Path, count: int) -> Path:
    calls = "".join(
        f"static struct node *f{i}(struct node *l) {{ l = f{i - 1}(l); return f{i - 1}(l); }}\n"
        for i in range(1, count + 1)
    )
    first = "static struct node *f0(struct node *l) { if (__VERIFIER_nondet_int()) l = push(l); return l; }\n"
    path = tmp_path / "levels.c"
    path.write_text(f"{HEAD}{first}{calls}int main(void) {{ drop(f{count}(NULL)); return 0; }}\n")
    return path


def test_levels_of_calls_cost_what_the_functions_cost(tmp_path: Path) -> None:
    """With every call inlined there are 65,536 copies of a function, and the program was too large."""
    program = read(levels(tmp_path, 16))
    result = analyse(Prepared(program), malloc_may_fail=True, seconds=60)
    assert is_proof(result) and result.structures < 3000
    assert attacked(program, result, 1.0, max_runs=3).refuted is None


def test_an_exit_that_is_missing_is_noticed(tmp_path: Path) -> None:
    """The independent check computes calls again."""
    result = by_calls(tmp_path, "struct node *a = fill(), *b = fill(); drop(a); drop(b);")
    assert isinstance(result.reached, Tabulated)
    fill = next(a for a in result.reached.activations if a.name == "fill")
    store = fill.stores[fill.procedure.exit]
    kept = store.elements()[1:]
    store.clear()
    store.add(kept)
    with pytest.raises(InternalCheckError, match="not closed"):
        check_again(result)


KEYS = """
struct item { int key; struct item *next; };
static struct item *add(struct item *l, int key) {
    struct item *n = malloc(sizeof *n);
    if (!n) abort();
    n->key = key; n->next = l;
    return n;
}
static struct item *without(struct item *l, int key) {
    struct item *p = NULL, *c = l;
    while (c && c->key != key) { p = c; c = c->next; }
    if (!c) return l;
    if (p) p->next = c->next; else l = c->next;
    free(c);
    return l;
}
"""


def keys(tmp_path: Path, last: str) -> Path:
    steps = "".join(f"a = add(a, {i}); if (__VERIFIER_nondet_int()) a = without(a, {i}); " for i in range(4))
    path = tmp_path / "keys.c"
    end = "while (a) { struct item *t = a; a = a->next; free(t); }"
    main = f"int main(void) {{ struct item *a = NULL; {steps}{steps}{last}{end} return 0; }}\n"
    path.write_text(HEAD + KEYS + main)
    return path


def test_numbers_are_left_out_where_they_multiply_structures(tmp_path: Path) -> None:
    """The keys of the nodes told structures apart, though no proof needs them."""
    program = read(keys(tmp_path, ""))
    prepared = Prepared(program)
    result = analyse(prepared, malloc_may_fail=True, seconds=60)
    first = analyse_by_attempt(prepared, ATTEMPTS[0], malloc_may_fail=True, seconds=60)
    assert is_proof(result) and first is not None and 4 * result.structures < first.structures
    assert check_again(result)
    assert attacked(program, result, 1.0, max_runs=5).refuted is None


def test_numbers_come_back_if_a_proof_needs_them(tmp_path: Path) -> None:
    result = analyse(Prepared(read(keys(tmp_path, "if (a) assert(a->key < 4);"))), malloc_may_fail=True, seconds=60)
    assert is_proof(result)


def test_a_report_prepares_no_copies(tmp_path: Path) -> None:
    """The command did not end: what the proof assumes was read off the inlined program, which nothing needed."""
    path = tmp_path / "levels.c"
    levels = "".join(f"static void f{i}(void) {{ f{i - 1}(); f{i - 1}(); }}\n" for i in range(1, 11))
    path.write_text(f"{HEAD}static void f0(void) {{ drop(fill()); }}\n{levels}int main(void) {{ f10(); return 0; }}\n")
    report = check([str(path)], CheckOptions())
    assert report.proofs and report.prepared is not None
    assert report.assumptions == report.prepared.source.assumptions
    assert "_outcome" not in vars(report.prepared)


MANY_BLOCKS = """
#include <stdlib.h>
struct node { struct node *next; };
static int length(struct node *n) { if (!n) return 0; int rest = length(n->next); return rest + 1; }
static struct node *fresh(struct node *next) {
  struct node *n = malloc(sizeof *n);
  if (!n) abort();
  n->next = next;
  return n;
}
int main(void) {
  struct node *c = fresh(NULL), *b = fresh(c), *a = fresh(b), *list = fresh(a);
  int count = length(list);
  %s
  a->next = b, b->next = c;
  while (list) { struct node *n = list->next; free(list); list = n; }
  return count;
}
"""


@pytest.mark.parametrize(("wrong", "is_proved"), [("", True), ("free(b);", False)])
def test_a_run_ends_where_a_call_needs_more_markers(
    wrong: str, is_proved: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It went on to its end, though a run with more markers follows in any case and its result is dropped."""
    path = tmp_path / "blocks.c"
    path.write_text(MANY_BLOCKS % wrong)
    runs: list[tuple[bool, str | None, int]] = []
    solve = run.solve_translated

    def noting(*given: Any, **named: Any) -> Any:
        reached = solve(*given, **named)
        runs.append((reached.complete, reached.reason, reached.generated))
        return reached

    monkeypatch.setattr(run, "solve_translated", noting)
    result = analyse(Prepared(read(path)), malloc_may_fail=True, seconds=60)
    assert runs[0][:2] == (False, Cause.TOO_FEW_MARKERS.value)
    assert runs[1][1] != Cause.TOO_FEW_MARKERS.value and runs[1][2] > runs[0][2]
    assert (result.complete and not result.alarms) is is_proved
