"""Wrong proofs are refuted by runs: those of programs that were wrongly TRUE, and those of analyses broken here.

The first are programs that fail in a real run: whatever the analysis alone says of them, a proof of them must not pass.
The others break a rewriting or a step of the analysis, so that they stay when the analysis becomes better.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from tests.coverage.helpers import BUILD, EXAMPLES, SECONDS, attacked, is_proof, proof, read
from tests.exact_phases import without_exact_phases

from kleene.analysis.c import strategy
from kleene.analysis.c.contracts import check_contracts
from kleene.analysis.c.fesa import analyse_fesa
from kleene.analysis.c.options import check_options
from kleene.analysis.c.shape.analyse import analyse, analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS
from kleene.cfa.expressions import Comparison, Constant, Deref, Field, Index, Variable
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assume
from kleene.cli import run_main as main
from kleene.core.verdict import Verdict
from kleene.coverage.inputs import KINDS, ROUNDS, plans
from kleene.coverage.runs import _RUNS_WITHOUT_NEWS
from kleene.domains.fesa import evaluate, transfer
from kleene.logic.formula import UNKNOWN, conj, disj
from kleene.passes import preparation, prepare
from kleene.passes import zero_one_images as order
from kleene.passes.facts import integers
from kleene.passes.facts.integers import IntegerValue
from kleene.passes.preparation import Prepared
from kleene.passes.representatives import Uses
from kleene.semantics.steps import numbers
from kleene.semantics.steps.allocation import ObjectSteps
from kleene.semantics.steps.cells import CellSteps
from kleene.semantics.steps.numbers import NumberSteps
from kleene.semantics.translate import Translator

UNSAFE = Path(__file__).parent.parent / "unsafe_c"
FAILING = {
    "limit in a global": """
        struct item { int value; struct item *next; };
        int limit;
        int main(void) {
            struct item *list = NULL;
            while (__VERIFIER_nondet_int()) {
                int v = __VERIFIER_nondet_int();
                struct item *n = malloc(sizeof *n);
                if (!n) break;
                n->value = v;
                n->next = list;
                if (v < limit) list = n; else free(n);
            }
            for (struct item *p = list; p && p->next; p = p->next)
                assert(p->value <= p->next->value);
            while (list) { struct item *d = list; list = list->next; free(d); }
            return 0;
        }""",
    "limit in a flag": """
        struct item { int value; struct item *next; };
        static int below(int a, int b) { return a < b; }
        int main(void) {
            struct item *list = NULL;
            int limit = 3;
            while (__VERIFIER_nondet_int()) {
                int v = __VERIFIER_nondet_int();
                int small = below(v, limit - 3);
                struct item *n = malloc(sizeof *n);
                if (!n) break;
                n->value = v;
                n->next = list;
                if (small) list = n; else free(n);
            }
            for (struct item *p = list; p && p->next; p = p->next)
                assert(p->value <= p->next->value);
            while (list) { struct item *d = list; list = list->next; free(d); }
            return 0;
        }""",
    "a list of 13 nodes": """
        struct item { int value; struct item *next; };
        static int more(int a, int b) { return a > b; }
        int main(void) {
            struct item *list = NULL;
            int count = 0, limit = 12;
            while (__VERIFIER_nondet_int()) {
                struct item *n = malloc(sizeof *n);
                if (!n) break;
                n->value = __VERIFIER_nondet_int();
                n->next = list;
                list = n;
                count++;
            }
            int many = more(count, limit);
            for (struct item *p = list; p && p->next; p = p->next)
                if (many) assert(p->value <= p->next->value);
            while (list) { struct item *d = list; list = list->next; free(d); }
            return 0;
        }""",
    "two ints as one long": """
        struct two { int a, b; };
        struct one { long v; };
        int main(void) {
            struct node *list = build();
            struct two *t = malloc(sizeof *t);
            struct one *o = malloc(sizeof *o);
            if (t && o) {
                t->a = 1; t->b = 1;
                o->v = 0;
                memcpy(o, t, sizeof *o);
                if (o->v != 1) assert(0);
            }
            free(t); free(o);
            destroy(list);
            return 0;
        }""",
    "-1 as unsigned": """
        struct s { int a; };
        struct u { unsigned a; };
        int main(void) {
            struct node *list = build();
            struct s *t = malloc(sizeof *t);
            struct u *o = malloc(sizeof *o);
            if (t && o) {
                t->a = -1; o->a = 0;
                memcpy(o, t, sizeof *o);
                if (o->a == 4294967295u) assert(0);
            }
            free(t); free(o);
            destroy(list);
            return 0;
        }""",
    "realloc of an interior pointer": """
        struct pair { struct pair *a, *b; };
        int main(void) {
            struct node *list = build();
            struct pair *p = malloc(sizeof *p);
            if (p) {
                struct pair **q = &p->b;
                struct pair *r = realloc(q, sizeof *p);
                free(r);
            }
            destroy(list);
            return 0;
        }""",
    "argv is not NULL": """
        int main(int argc, char **argv) {
            struct node *list = build(), *bad = NULL;
            destroy(list);
            if (argv) bad->next = NULL;
            return 0;
        }""",
}


@pytest.mark.parametrize("domain", ["shape", "fesa"])
@pytest.mark.parametrize("name", FAILING)
def test_a_program_that_fails_is_not_proved(tmp_path, name, domain):
    """All of these were TRUE by the analysis alone, in one domain or both."""
    _, result = proof(_written(tmp_path, FAILING[name]), domain)
    assert not is_proof(result)


def _looked_at_always(self, source, place, test):
    """As if every number had an image: what `_Images._looked_at` did at first."""
    sides = [order.same(x) for x in ((test.left, test.right) if isinstance(test, Comparison) else (test,))]
    known = [(source, ())]
    for side in (x for x in sides if isinstance(x, Variable | Field | Deref | Index)):
        zero = Comparison("==", side, Constant(0, side.type), side.type)
        after = [(at, self._new(source), (*bits, bit)) for at, bits in known for bit in (0, 1)]
        self.edges += [Edge(at, Assume(place, zero, truth=not bits[-1]), name) for at, name, bits in after]
        known = [(name, bits) for _, name, bits in after]
    yield from known


def _may_at_first(test, truth, bits, *, exact=False, may=order._may):
    return may(test, truth, () if len(bits) == 1 else bits, exact=exact)


COPIED_AS_THEY_ARE = [(numbers, "rereads", lambda *types: True), (IntegerValue, "convert", lambda self, *types: self)]
COPIED_IN_FESA = [(module, "convert_number", lambda value, *types: value) for module in (evaluate, transfer)]
IMAGES_OF_ALL = [
    (order._Images, "_looked_at", _looked_at_always),
    (order, "_may", _may_at_first),
    (integers.Constants, "_gather_outcome", lambda *_: None),  # came later, and hides the defect
]
FREED_UNSEEN = [(ObjectSteps, "require_movable", lambda self, operation: self.pointers.load(operation.pointer))]
NOTHING_GIVEN = [(prepare, "with_entry_values", lambda program: program)]
ORDERED = [
    "field_limit",
    "flag_global",
    "flag_global_zero",
    "global_flag",
    "helper",
    "helper2",
    "list",
    "pointer_limit",
    "field_flag",
]
COPIED = ("minus_one_unsigned_heap", "realloc_type", "struct_two_ints_long")
DEFECTS = [
    ("limit in a flag", "shape", IMAGES_OF_ALL),
    *((f"order/{name}", "shape", IMAGES_OF_ALL) for name in ORDERED),
    ("two ints as one long", "shape", COPIED_AS_THEY_ARE),
    ("-1 as unsigned", "shape", COPIED_AS_THEY_ARE),
    *((f"copies/{name}", "shape", COPIED_AS_THEY_ARE) for name in COPIED),
    ("-1 as unsigned", "fesa", COPIED_IN_FESA),
    ("copies/minus_one_unsigned_heap", "fesa", COPIED_IN_FESA),
    ("realloc of an interior pointer", "shape", FREED_UNSEEN),
    ("argv is not NULL", "shape", NOTHING_GIVEN),
]
"""A program that fails, the domain, and what is put in the place of a repair."""


@pytest.mark.parametrize(("name", "domain", "defect"), DEFECTS, ids=[f"{d[0]}, {d[1]}" for d in DEFECTS])
def test_a_repair_that_is_undone_is_refuted(tmp_path, monkeypatch, name, domain, defect):
    """With the old defect the program is proved, and runs refute the proof."""
    for holder, attribute, value in defect:
        monkeypatch.setattr(holder, attribute, value)
    path = _written(tmp_path, FAILING[name]) if name in FAILING else UNSAFE / f"{name}.c"
    program, result = proof(path, domain)
    assert is_proof(result)
    assert attacked(program, result).refuted is not None


SORTED = """
struct item { int value; struct item *next; };
int main(void) {
    struct item *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct item *n = malloc(sizeof *n), **at = &list;
        if (!n) break;
        n->value = __VERIFIER_nondet_int();
        struct item *prev = NULL, *cur = list;
        while (cur && cur->value < n->value) { prev = cur; cur = cur->next; }
        n->next = cur;
        if (prev) prev->next = n; else list = n;
    }
    for (struct item *p = list; p && p->next; p = p->next)
        assert(p->value <= p->next->value);
    while (list) { struct item *d = list; list = list->next; free(d); }
    return 0;
}
"""
RANGES = """
int main(void) {
    struct node *list = build();
    int n = __VERIFIER_nondet_int();
    if (n > 100) n = 100;
    if (n < 3) n = 3;
    assert(n >= 3 && n <= 100);
    destroy(list);
    return 0;
}
"""


def _written(tmp_path, text: str):
    path = tmp_path / "program.c"
    path.write_text(BUILD + text, encoding="utf-8")
    return path


def test_sorted_by_images_is_proved_and_covered(tmp_path):
    program, result = proof(_written(tmp_path, SORTED))
    assert is_proof(result)
    assert result.followed is not None
    assert result.followed.by == "order"
    assert attacked(program, result).refuted is None


def test_images_with_one_side_only_are_refuted(tmp_path, monkeypatch):
    """A comparison of equal images that comes out one way only: what is behind the other way is not seen."""
    may = order._may
    monkeypatch.setattr(order, "_may", lambda test, truth, bits, *, exact=False: may(test, truth, bits, exact=True))
    program, result = proof(_written(tmp_path, SORTED))
    assert result.followed is not None
    assert attacked(program, result).refuted is not None


def test_representatives_that_miss_a_range_are_refuted(tmp_path, monkeypatch):
    """The numbers above the greatest constant have no representative."""
    program = read(_written(tmp_path, RANGES))
    ranges = next(attempt for attempt in ATTEMPTS if attempt.name == "ranges")
    result = analyse_by_attempt(Prepared(program), ranges, malloc_may_fail=True, seconds=SECONDS)
    assert result is not None and attacked(program, result).refuted is None
    whole = Uses.representatives
    monkeypatch.setattr(Uses, "representatives", lambda self, target: whole(self, target)[:-1])
    result = analyse_by_attempt(Prepared(program), ranges, malloc_may_fail=True, seconds=SECONDS)
    assert result is not None
    assert attacked(program, result).refuted is not None


def test_a_branch_that_a_rewriting_drops_is_refuted(monkeypatch):
    """An automaton without the edges on which a condition is false: what is behind them is empty."""
    original = preparation.whole_program

    def halved(program):
        inlined = original(program)
        edges = [e for e in inlined.main.cfa.edges if not isinstance(e.label, Assume) or e.label.truth]
        main_ = replace(inlined.main, cfa=Cfa(inlined.main.cfa.entry, tuple(edges)))
        return replace(inlined, functions={inlined.entry: main_})

    monkeypatch.setattr(preparation, "whole_program", halved)
    program, result = proof(EXAMPLES / "sll" / "reverse.c")
    assert result.complete
    assert attacked(program, result).refuted is not None


def test_an_allocation_that_cannot_fail_is_refuted():
    program = read(EXAMPLES / "sll" / "reverse.c")
    result = analyse(Prepared(program), malloc_may_fail=False, seconds=60)
    assert attacked(program, result, malloc_may_fail=False).refuted is None
    assert attacked(program, result, malloc_may_fail=True).refuted is not None


def test_an_allocation_that_cannot_fail_is_refuted_in_fesa():
    program = read(EXAMPLES / "sll" / "reverse.c")
    result = analyse_fesa(Prepared(program), malloc_may_fail=False, seconds=60)
    assert attacked(program, result, malloc_may_fail=False).refuted is None
    assert attacked(program, result, malloc_may_fail=True).refuted is not None


@pytest.mark.parametrize(
    ("builder", "step", "name"),
    [(NumberSteps, "set_integer", "data/states.c"), (CellSteps, "write_cell", "dll/create.c")],
)
def test_a_step_without_its_updates_is_refuted(monkeypatch, builder, step, name):
    """Assignments that do nothing: the state of a run differs from what the invariant says."""
    monkeypatch.setattr(builder, step, lambda self, *given: [])
    program, result = proof(EXAMPLES / name)
    assert attacked(program, result).refuted is not None


def test_the_command_says_what_was_covered(tmp_path, capsys):
    path = str(EXAMPLES / "sll" / "reverse.c")
    assert main(["check", path, "--self-check", "2", "--json", "-"]) == 0  # seconds of a machine that may be busy
    coverage = json.loads(capsys.readouterr().out)["statistics"]["coverage"]
    assert coverage["states"] > 100
    assert coverage["runs"] > 5
    assert main(["check", path, "--self-check", "0.5"]) == 0
    assert " runs" in capsys.readouterr().out.splitlines()[-1]
    assert main(["check", path, "--self-check", "0", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["statistics"]["coverage"] is None


def test_a_refuted_proof_is_an_internal_error(monkeypatch, capsys):
    """Exit code 4, with the location, the attempt and the inputs."""
    original = Translator._branches

    def never_fails(self, edge):
        self.malloc_may_fail = False
        return original(self, edge)

    monkeypatch.setattr(Translator, "_branches", never_fails)
    assert main(["check", str(EXAMPLES / "sll" / "reverse.c"), "--self-check", "2"]) == 4
    said = capsys.readouterr().err
    assert "refuted by a run" in said
    assert "shape analysis" in said


BROKEN_CONTRACT = """
#include <stdlib.h>
struct node { struct node *next; };
/*@ requires list(l); ensures list(\\result); */
struct node *keep(struct node *l) { if (l) l->next = l; return l; }
int main(void) {
    struct node *n = malloc(sizeof *n);
    if (!n) return 0;
    n->next = NULL;
    n = keep(n);
    while (n) { struct node *rest = n->next; free(n); n = rest; }
    return 0;
}
"""


def test_a_body_that_breaks_its_contract_is_no_internal_error(monkeypatch, tmp_path):
    """The proof of the caller assumes the contract: runs with the wrong body refute nothing."""
    path = tmp_path / "broken.c"
    path.write_text(BROKEN_CONTRACT)
    monkeypatch.setattr(strategy, "PHASES", without_exact_phases())
    report = check_contracts([str(path)], check_options(timeout=20, self_check=2.0))
    assert report.properties["contracts"] is not Verdict.TRUE
    assert report.verdict is not Verdict.TRUE


def _others_stay_apart(table, others):
    """What `integers._with_others` was: the results of other numbers were taken to be none of the table."""
    return IntegerValue({c: disj(f, conj(others, UNKNOWN)) for c, f in table.items()}, others)


@pytest.mark.parametrize("name", ["narrowed_differs", "masked_kept"])
def test_a_number_that_becomes_a_known_one_is_refuted(monkeypatch, name):
    """With the old defect the program is proved, and runs refute the proof: one begins with a number that wraps."""
    monkeypatch.setattr(integers, "_with_others", _others_stay_apart)
    program, result = proof(UNSAFE / "copies" / f"{name}.c")
    assert is_proof(result)
    assert attacked(program, result, max_runs=600).refuted is not None


LEAKING = {
    "memory_leak": "int main(void) { struct node *list = build(); list = NULL; destroy(list); return 0; }",
    "memory_cleanup": "static struct node *kept; int main(void) { kept = build(); return 0; }",
}


@pytest.mark.parametrize("kind", LEAKING)
def test_a_block_that_a_run_loses_refutes_a_proof(tmp_path, kind):
    """Runs were not asked about leaks: a wrong proof that there is none was never refuted."""
    program, result = proof(_written(tmp_path, LEAKING[kind]))
    assert kind in {alarm.kind for alarm in result.alarms}
    assert attacked(program, result).refuted is None
    refuted = attacked(program, result, kinds=frozenset((kind,))).refuted
    assert refuted is not None
    assert ("is lost" if kind == "memory_leak" else "is not freed at the end") in refuted.what
    if kind == "memory_cleanup":
        assert attacked(program, result, kinds=frozenset(("memory_leak",))).refuted is None


def test_every_number_of_rounds_comes_with_every_kind_of_numbers():
    """Half of the pairs never came: three rounds with falling numbers, for one."""
    pairs = {(plan.rounds, plan.kind) for plan in islice(plans(malloc_may_fail=True), len(ROUNDS) * len(KINDS))}
    assert len(pairs) == len(ROUNDS) * len(KINDS)
    assert 5 * len(pairs) == _RUNS_WITHOUT_NEWS
