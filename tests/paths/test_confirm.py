"""Alarms of the analysis and their paths in `check`: confirmed, refuted, or shown as what was suspected."""

from __future__ import annotations

import itertools
import time
from pathlib import Path

import pytest

from kleene.analysis.c.check import check
from kleene.analysis.c.confirm import confirm
from kleene.analysis.c.error_paths import error_paths
from kleene.analysis.c.options import check_options
from kleene.analysis.c.shape.analyse import analyse
from kleene.c import read_program
from kleene.core.verdict import Verdict
from kleene.passes.calls.inline import inline
from kleene.passes.preparation import Prepared
from kleene.passes.prepare import prepare_program
from kleene.report.check.text_and_json import check_document, check_text
from kleene.results.check import CheckReport

from .test_paths_feasible import HEAD

ROOT = Path(__file__).parent.parent.parent

SQUARE = "int main(void) { int x = __VERIFIER_nondet_int(); if (x * x == 1764 && x > 0) reach_error(); return 0; }"
MISCOUNTED = """
int main(void) {
  struct node *l = NULL; int i = 0;
  while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof *n);
    if (!n) abort();
    n->next = l; l = n; i++;
  }
  while (i > 0) { struct node *n = l->next; free(l); l = n; i--; }
  return 0;
}
"""
ENDLESS = """
int main(void) {
  int *p = malloc(4); p = NULL;
  int *q = malloc(4); q = malloc(8); q = NULL;
  while (__VERIFIER_nondet_int() != 77) { }
  while (1) { }
}
"""


@pytest.fixture
def checked(tmp_path: Path):
    def run(text: str, **options) -> CheckReport:
        path = tmp_path / "p.c"
        path.write_text(HEAD + text)
        return check([str(path)], check_options(**options))

    return run


def test_a_path_formula_confirms_what_exploration_cannot(checked):
    report = checked(SQUARE)
    assert report.properties["unreach"] is Verdict.FALSE
    assert report.findings[0].inputs == (42,)
    assert "unreach    FALSE   by a path formula" in check_text(report)
    document = check_document(report)
    assert document["statistics"]["shown_by"] == {"unreach": "by a path formula"}
    assert document["statistics"]["solver_calls"] > 0


def test_an_infeasible_path_is_no_finding_and_is_shown(checked):
    """Nothing is wrong with this program; the analysis does not know that the counter is the length of the list."""
    report = checked(MISCOUNTED, timeout=9, properties=("memsafety",))
    assert report.properties["memsafety"] is not Verdict.FALSE
    if report.properties["memsafety"] is Verdict.UNKNOWN:
        assert "cannot happen" in report.reason
        text = check_text(report, traces=True)
        assert "(possible)" in text
        assert "[!(i > 0)]" in text or "[i > 0]" in text
        possible = check_document(report)["findings"][0]
        assert possible["status"] == "possible"
        assert possible["trace"]
        assert possible["inputs"] == []


def test_an_uninitialised_pointer_behind_a_test_for_null():
    report = check([str(ROOT / "examples/c/sll/uninitialized.c")], check_options())
    assert report.properties["memsafety"] is Verdict.FALSE
    assert [f.kind for f in report.findings if f.confirmed] == ["uninitialized_pointer"]
    assert "is undefined" in report.reason
    assert "what happens after the error at" in report.reason
    assert "uninitialized: an address of nothing" in check_text(report, traces=True)


def test_reading_garbage_is_no_error_by_itself(checked):
    report = checked("int main(void) { struct node *p; struct node *q = p; if (p == q) return 1; return q != p; }")
    assert report.properties["memsafety"] is not Verdict.FALSE


TAIL = """
static int sum(struct node *l, int n) { if (!l) return n; return sum(l->next, n + 2); }
int main(void) {
  struct node *l = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node *h = malloc(sizeof *h);
    if (!h) break;
    h->next = l;
    l = h;
  }
  if (sum(l, 0) == 300001) { struct node *z = NULL; z->next = z; }
  while (l) { struct node *n = l->next; free(l); l = n; }
  return 0;
}
"""


def test_the_path_through_tail_recursion_is_shown(tmp_path):
    """Paths were looked up in a program that still had the calls, so that none was found."""
    path = tmp_path / "p.c"
    path.write_text(HEAD + TAIL)
    prepared = Prepared(read_program(path))
    shape = analyse(prepared, malloc_may_fail=True, seconds=60)
    (alarm,) = shape.alarms
    result = confirm(prepared, shape, [alarm], malloc_may_fail=True, seconds=5)
    assert any("$next" in str(edge.label) for edge in result.paths[alarm])
    assert "cannot happen" in result.answers[alarm]


def test_every_path_followed_proves(checked):
    report = checked("int main(void) { int x = __VERIFIER_nondet_int(); if (x * 2 == 7) reach_error(); return 0; }")
    assert report.properties["unreach"] is Verdict.TRUE
    assert report.proved_by["unreach"] == "every path followed"


def test_the_time_limit_holds_where_an_endless_loop_follows_a_leak(checked):
    """Each leak was followed by 100,000 steps with leak checks; with --timeout 1 this took 15 s."""
    start = time.process_time()
    report = checked(ENDLESS, timeout=1)
    assert report.properties["memsafety"] is Verdict.FALSE
    assert time.process_time() - start < 5


def test_the_path_of_an_alarm_leads_from_the_entry_to_its_place(tmp_path):
    path = tmp_path / "p.c"
    path.write_text(HEAD + MISCOUNTED)
    program = read_program(path)
    ready = prepare_program(inline(program))
    result = analyse(Prepared(program), malloc_may_fail=True, seconds=20)
    found = error_paths(result, ready, 20)
    assert set(found) == set(result.alarms)
    for alarm, edges in found.items():
        assert edges[0].source == ready.main.cfa.entry
        assert edges[-1].label.place == alarm.place
        assert all(one.target == two.source for one, two in itertools.pairwise(edges))
