"""Heaps taken apart in the analysis of C programs: what is proved, what must not be, and what is kept together."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.coverage.helpers import attacked, is_proof, read
from tests.unsafe_c.test_unsafe import PROGRAMS, prepared_program

from kleene.analysis.c.shape import analyse as analysis
from kleene.analysis.c.shape.analyse import analyse, analyse_by_attempt
from kleene.analysis.c.shape.apart import Correlation, locality_of
from kleene.analysis.c.shape.attempts import ATTEMPTS, kinds_of_alarms
from kleene.analysis.c.shape.run import check_again, domain_of
from kleene.cfa.graph import Edge
from kleene.diagnostics import InternalCheckError
from kleene.domains.decomposed import products
from kleene.domains.decomposed.calling import CallingDecomposedDomain
from kleene.domains.decomposed.locality import Plan
from kleene.domains.decomposed.separation import separate_actions
from kleene.passes.preparation import Prepared
from kleene.report.check.shape_words import invariants_of
from kleene.results.shape import ShapeResult
from kleene.transformers.action import Action

PARTS = next(row for row in ATTEMPTS if row.name == "parts")
HEAD = """
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
static struct node *push(struct node *l) {
    struct node *n = malloc(sizeof *n);
    if (!n) abort();
    n->next = l;
    return n;
}
static struct node *fill(void) {
    struct node *l = NULL;
    while (__VERIFIER_nondet_int()) l = push(l);
    return l;
}
static void drop(struct node *l) { while (l) { struct node *t = l; l = l->next; free(t); } }
"""
SAFE = {
    "two lists": "struct node *a = fill(), *b = fill(); drop(a); drop(b);",
    "handed over": "struct node *a = fill(), *b = fill(); struct node *c = a; a = b; b = c; drop(a); drop(b);",
    "one of two": "struct node *a = fill(), *b = fill(), *c = __VERIFIER_nondet_int() ? a : b; "
    "if (c) c = c->next; drop(a); drop(b);",
    "joined": "struct node *a = fill(), *b = fill(), *l; if (!a) { drop(b); return 0; } "
    "for (l = a; l->next; l = l->next) ; l->next = b; drop(a);",
    "flag": "struct node *a = NULL; int used = 0; if (__VERIFIER_nondet_int()) { a = push(a); used = 1; } "
    "if (used) { a->next = NULL; } drop(a);",
    "equal lengths": "struct node *a = NULL, *b = NULL; while (__VERIFIER_nondet_int()) { a = push(a); b = push(b); } "
    "if (a) b->next = b->next; drop(a); drop(b);",
}
UNSAFE = {
    "one list is lost": ("struct node *a = fill(), *b = fill(); drop(a); (void)b;", "memory_leak"),
    "freed twice": ("struct node *a = fill(), *b = a; drop(a); drop(b);", "dangling_dereference"),
    "shared end": (
        "struct node *a = push(NULL), *b = push(NULL), *c = fill(); a->next = c; b->next = c; drop(a); drop(b);",
        "dangling_dereference",
    ),
    "wrong flag": (
        "struct node *a = NULL; int used = 0; if (__VERIFIER_nondet_int()) used = 1; "
        "if (used) a->next = NULL; drop(a);",
        "null_dereference",
    ),
    "wrong list": (
        "struct node *a = fill(), *b = fill(); if (a) b->next = NULL; drop(a); drop(b);",
        "null_dereference",
    ),
    "always fails": ("struct node *a = fill(); drop(a); assert(0);", "assertion"),
    "not freed": ("struct node *a = fill(), *b = fill(); drop(a); if (b) exit(0);", "memory_cleanup"),
}


def by_parts(tmp_path: Path, body: str) -> ShapeResult:
    path = tmp_path / "program.c"
    path.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    result = analyse_by_attempt(Prepared(read(path)), PARTS, malloc_may_fail=True, seconds=60)
    assert result is not None
    return result


@pytest.mark.parametrize("name", SAFE)
def test_parts_are_enough(name: str, tmp_path: Path) -> None:
    result = by_parts(tmp_path, SAFE[name])
    assert result.complete and not result.alarms
    assert check_again(result)


def test_what_an_alarm_depends_on_is_kept_together(tmp_path: Path) -> None:
    result = by_parts(tmp_path, SAFE["flag"])
    assert any({"a", "used=1"} <= roots for roots in result.together or ())
    assert not by_parts(tmp_path, SAFE["two lists"]).together


@pytest.mark.parametrize("name", UNSAFE)
def test_no_alarm_is_lost(name: str, tmp_path: Path) -> None:
    body, kind = UNSAFE[name]
    result = by_parts(tmp_path, body)
    assert not result.complete or kind in kinds_of_alarms(result)


@pytest.mark.parametrize("name", PROGRAMS)
def test_parts_prove_no_unsafe_program(name: str) -> None:
    result = analyse_by_attempt(prepared_program(name), PARTS, malloc_may_fail=False, seconds=20)
    assert result is None or not result.complete or {alarm.kind for alarm in result.alarms} - {"memory_leak"}


def many_lists(tmp_path: Path, count: int) -> Path:
    names = [f"l{i}" for i in range(count)]
    steps = "".join(f"if (c == {i}) {name} = push({name});\n" for i, name in enumerate(names))
    declared = "".join(f"struct node *{name} = NULL;\n" for name in names)
    loop = f"while (__VERIFIER_nondet_int()) {{ int c = __VERIFIER_nondet_int(); {steps} }}"
    path = tmp_path / "many.c"
    path.write_text(f"{HEAD}int main(void) {{ {declared}{loop}{''.join(f'drop({n});' for n in names)} return 0; }}\n")
    return path


@pytest.fixture
def _without_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists that nothing connects would be analysed one by one."""
    monkeypatch.setattr(Prepared, "slices", ())


@pytest.mark.usefixtures("_without_slices")
def test_many_lists_are_taken_apart(tmp_path: Path) -> None:
    """The product of five lists had 55,496 structures. The proof by parts is checked again, covered and described."""
    path = many_lists(tmp_path, 5)
    program = read(path)
    result = analyse(Prepared(program), malloc_may_fail=True, seconds=60)
    assert is_proof(result) and result.together == ()
    assert result.structures < 1000
    assert attacked(program, result, 1.0, max_runs=5).refuted is None
    words = [text for invariant in invariants_of(result) for text in invariant.words]
    assert {"l1: NULL", "l1: acyclic list of 2 or more nodes"} <= set(words) and not any(";" in text for text in words)


@pytest.mark.usefixtures("_without_slices")
def test_whole_heaps_follow_if_parts_do_not_stay_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "MOST_COMBINATIONS", 0)
    result = analyse(Prepared(read(many_lists(tmp_path, 4))), malloc_may_fail=True, seconds=60)
    assert is_proof(result) and result.together is None and result.structures > 4000
    assert result.proof == f"shape analysis (acyclic, on whole heaps: {products.TOO_CONNECTED})"


@pytest.mark.usefixtures("_without_slices")
def test_whole_heaps_follow_if_parts_have_alarms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof that needs all correlations is not lost."""
    monkeypatch.setattr(analysis, "NEAREST", ())
    path = many_lists(tmp_path, 4)
    text = path.read_text().replace("l0 = push(l0);", "{ l0 = push(l0); used = 1; }")
    text = text.replace("struct node *l0", "int used = 0; struct node *l0")
    path.write_text(text.replace("drop(l0);", "if (used) assert(l0 != NULL); drop(l0);"))
    result = analyse(Prepared(read(path)), malloc_may_fail=True, seconds=60)
    assert is_proof(result) and result.together is None


def test_a_part_that_is_missing_is_noticed(tmp_path: Path) -> None:
    """The independent check finds it."""
    result = by_parts(tmp_path, SAFE["two lists"])
    assert result.reached is not None and result.translation is not None
    head = next(name for name in result.translation.cfa.loop_heads if len(result.reached.stores[name]))
    store = result.reached.stores[head]
    (element,) = store.elements()
    assert isinstance(element, products.Product)
    own = max(element.sets, key=lambda roots: len(element.sets[roots]))
    smaller = products.Product(element.partition, {**element.sets, own: element.sets[own][:1]}, element.adrift)
    store.clear()
    store.add([smaller])  # type: ignore[list-item]
    with pytest.raises(InternalCheckError, match="not closed"):
        check_again(result)


def test_runs_refute_a_proof_by_a_wrong_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the analysis takes a part that an action changes for untouched, runs reach states that it does not have."""
    right = CallingDecomposedDomain.plan

    def wrong(domain: CallingDecomposedDomain, edge: Edge[Action]) -> Plan:
        return Plan(frozenset()) if str(edge.label).endswith("= NULL") else right(domain, edge)

    path = tmp_path / "program.c"
    path.write_text(f"{HEAD}int main(void) {{ struct node *a = fill(); drop(a); return 0; }}\n")
    program = read(path)
    monkeypatch.setattr(CallingDecomposedDomain, "plan", wrong)
    result = analyse_by_attempt(Prepared(program), PARTS, malloc_may_fail=True, seconds=60)
    assert result is not None and result.complete
    assert attacked(program, result).refuted is not None


def test_an_alarm_of_a_call_that_cannot_be_followed(tmp_path: Path) -> None:
    """The search for the error edge of such an alarm, which has none, ended with an exception."""
    path = tmp_path / "program.c"
    path.write_text(
        f"{HEAD}static int length(struct node *l) {{ return l ? 1 + length(l->next) : 0; }}\n"
        "int main(void) { struct node *a = fill(), *p = a, *q, *r, *s, *t; "
        "if (p) p = p->next; q = p; if (q) q = q->next; "
        "r = q; if (r) r = r->next; s = r; if (s) s = s->next; t = s; if (t) t = t->next; int n = length(a); "
        "if (p && q && r && s && t) n++; drop(a); return n > 0; }\n"
    )
    result = analyse_by_attempt(Prepared(read(path)), PARTS, malloc_may_fail=True, seconds=60)
    assert result is not None


def test_products_that_come_at_once(tmp_path: Path) -> None:
    """A store that got several products at once kept the partition of the last one, and did not cover the first."""
    path = tmp_path / "program.c"
    path.write_text(f"{HEAD}int main(void) {{ {SAFE['joined']} return 0; }}\n")
    result = analyse_by_attempt(Prepared(read(path)), PARTS, malloc_may_fail=True, seconds=60)
    assert result is not None and result.translation is not None and result.reached is not None
    domain = Correlation().domain(domain_of(result.translation, join="conc")[0], result.translation)
    every = [p for store in result.reached.stores.values() for p in store.elements() if isinstance(p, products.Product)]
    fine, coarse = max(every, key=lambda p: len(p.partition)), min(every, key=lambda p: len(p.partition))
    assert len(fine.partition) > len(coarse.partition)
    for order in ([coarse, fine], [fine, coarse]):
        store = domain.store()
        store.add(order)
        assert all(map(store.covers, order))


def test_an_index_is_kept_apart_from_others(tmp_path: Path) -> None:
    """The lists of a table were one part, since a new node is connected with each of them for some index."""
    body = (
        "struct node *heads[3] = { NULL }; while (__VERIFIER_nondet_int()) { int i = __VERIFIER_nondet_int(); "
        "if (i < 0 || i >= 3) continue; struct node *n = push(heads[i]); heads[i] = n; } "
        "for (int i = 0; i < 3; i++) drop(heads[i]);"
    )
    result = by_parts(tmp_path, body)
    assert result.complete and not result.alarms and result.cases and check_again(result)
    wrong = by_parts(tmp_path, body.replace("heads[i] = n", "heads[0] = n"))
    assert wrong.alarms or not wrong.complete


def test_flags_that_end_together_are_not_combined(tmp_path: Path) -> None:
    """One action that forgets k flags made all combinations of their parts: 2,187 for seven flags."""
    body = (
        "struct node *a = fill(), *b = fill(); int full = a != NULL, other = b != NULL; "
        "if (__VERIFIER_nondet_int()) { if (full) a = a->next ? a : push(a); if (other) b = push(b); } "
        "drop(a); drop(b);"
    )
    result = by_parts(tmp_path, body)
    assert result.complete and not result.alarms and check_again(result) and result.translation is not None
    locality = locality_of(result.translation)
    separate = {str(e.label): separate_actions(locality, e.label) for e in result.translation.cfa.edges}
    assert any(len(actions) > 1 for title, actions in separate.items() if title.startswith("forget"))
    assert all(not actions for title, actions in separate.items() if "->" in title)
