"""The solver facade: answers of all back ends, models, cores, limits, dumps."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from tests.oracle.concrete import concrete_structures, holds
from tests.oracle.generate import Setting, _p, formulas

from kleene.diagnostics import UsageError
from kleene.logic.formula import (
    FALSE,
    TRUE,
    Atom,
    Equal,
    Formula,
    conj,
    disj,
    exists,
    forall,
    neg,
    reflexive_closure,
    transitive_closure,
)
from kleene.logic.vocabulary import Vocabulary
from kleene.smt import BACKENDS, Cell, Limits, Sat, Solver, Universe, Unknown, Unsat, check
from kleene.smt.closures import Fields

FIELDS = Fields(frozenset({"n"}))
ONE_SUCCESSOR = forall("vab", disj(neg(Atom("n", ("v", "a"))), neg(Atom("n", ("v", "b"))), Equal("a", "b")))
ACYCLIC = forall("v", neg(transitive_closure("n", "v", "v")))
EVERY_ONE_HAS_A_NEXT = forall("v", exists("w", Atom("n", ("v", "w"))))


def p(v: str) -> Formula:
    return Atom("p", (v,))


@pytest.mark.parametrize("backend", BACKENDS)
def test_simple_answers(backend: str) -> None:
    pytest.importorskip({"cvc5": "cvc5", "ground": "pysat"}.get(backend, "z3"))
    both = exists("ab", conj(p("a"), neg(p("b"))))
    answer = check(both, backend=backend)
    assert isinstance(answer, Sat)
    assert answer.model.size >= 2
    assert answer.model.satisfies(both)
    assert isinstance(check(conj(both, forall("ab", Equal("a", "b"))), backend=backend), Unsat)
    assert isinstance(check(TRUE, backend=backend), Sat)
    assert isinstance(check(FALSE, backend=backend), Unsat)
    assert isinstance(check(conj(p("v"), neg(p("w"))), backend=backend), Sat), "free variables are some individuals"


@pytest.mark.parametrize("backend", ["z3", "cvc5"])
def test_reachability(backend: str) -> None:
    """Deterministic paths are linear; a finite acyclic list ends."""
    pytest.importorskip(backend)
    a_b, a_c = reflexive_closure("n", "a", "b"), reflexive_closure("n", "a", "c")
    b_c, c_b = reflexive_closure("n", "b", "c"), reflexive_closure("n", "c", "b")
    forked = exists("abc", conj(a_b, a_c, neg(b_c), neg(c_b)))
    assert isinstance(check(forked, backend=backend), Sat)
    assert isinstance(check(conj(ONE_SUCCESSOR, forked), backend=backend, fields=FIELDS), Unsat)
    assert isinstance(check(conj(ONE_SUCCESSOR, EVERY_ONE_HAS_A_NEXT), backend=backend, fields=FIELDS), Sat)
    path = exists("ab", conj(transitive_closure("n", "a", "b"), neg(Atom("n", ("a", "b")))))
    assert isinstance(check(conj(ONE_SUCCESSOR, ACYCLIC, path), backend=backend, fields=FIELDS), Sat)


def test_infinite_models_do_not_count() -> None:
    endless = conj(ONE_SUCCESSOR, ACYCLIC, EVERY_ONE_HAS_A_NEXT)
    assert not isinstance(check(endless, fields=FIELDS, limits=Limits(query_seconds=1)), Sat)


def test_two_cycles_are_not_one() -> None:
    """The closure's axioms have a model that joins two cycles; it must not be returned."""
    cycles = conj(
        ONE_SUCCESSOR,
        EVERY_ONE_HAS_A_NEXT,
        exists("ab", conj(p("a"), neg(p("b")), transitive_closure("n", "a", "b"))),
        forall("ab", disj(neg(Atom("n", ("a", "b"))), conj(p("a"), p("b")), conj(neg(p("a")), neg(p("b"))))),
    )
    for backend in ("z3", "ground"):
        assert not isinstance(check(cycles, backend=backend, fields=FIELDS, limits=Limits(query_seconds=0.4)), Sat)


def test_cores_are_assumptions_that_suffice() -> None:
    some, none = exists("v", p("v")), forall("v", neg(p("v")))
    for backend in BACKENDS:
        session = Solver(backend).session([], Universe())
        answer = session.check([exists("v", Atom("q", ("v",))), some, none])
        assert isinstance(answer, Unsat)
        assert {1, 2} <= answer.core


def test_cells_are_sorts() -> None:
    universe = Universe(
        (Cell("x", {"x": True}, single=True), Cell("others", {"x": False}, optional=True)),
        fixed={("n", (0, 0)): False},
    )
    x = Atom("x", ("v",))
    for backend in BACKENDS:
        solver = Solver(backend)
        assert isinstance(solver.session([forall("v", x)], universe).check(), Sat)
        assert isinstance(solver.session([forall("v", neg(x))], universe).check(), Unsat)
        loop = exists("vw", conj(x, Atom("x", ("w",)), Atom("n", ("v", "w"))))
        assert isinstance(solver.session([loop], universe).check(), Unsat)


def test_deadline_gives_unknown_at_once() -> None:
    solver = Solver("z3", Limits(total_seconds=0.0))
    start = time.perf_counter()
    assert isinstance(solver.session([EVERY_ONE_HAS_A_NEXT], Universe()).check(), Unknown)
    assert time.perf_counter() - start < 0.5
    assert solver.statistics.calls == 0


def test_z3_is_stopped_by_the_clock_if_steps_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resource steps are no clock: a query that would run for minutes ends after a few times its limit."""
    pytest.importorskip("z3")
    monkeypatch.setattr("kleene.smt.z3_backend.STEPS_PER_MILLISECOND", 10**6)
    before = forall("abc", disj(neg(Atom("n", ("a", "b"))), neg(Atom("n", ("b", "c"))), Atom("n", ("a", "c"))))
    only_infinite = conj(before, forall("a", neg(Atom("n", ("a", "a")))), EVERY_ONE_HAS_A_NEXT)
    start = time.perf_counter()
    answer = check(only_infinite, backend="z3", limits=Limits(query_seconds=0.2))
    assert isinstance(answer, Unknown)
    assert answer.reason == "z3: time limit"
    assert time.perf_counter() - start < 30
    assert isinstance(check(p("v"), backend="z3"), Sat), "the next query is not affected"


def test_statistics_and_dump(tmp_path: Path) -> None:
    solver = Solver("z3", dump=tmp_path / "queries")
    solver.session([exists("v", p("v"))], Universe()).check([forall("v", p("v"))])
    assert solver.statistics.calls == 1
    assert solver.statistics.by_backend == {"z3": 1}
    (file,) = (tmp_path / "queries").iterdir()
    text = file.read_text()
    assert "(check-sat)" in text
    assert "|assumption 0|" in text
    z3 = pytest.importorskip("z3")
    solver = z3.Solver()
    solver.from_string(text)
    assert solver.check() == z3.sat


def test_unknown_back_end() -> None:
    with pytest.raises(UsageError, match="no back end 'zz'"):
        Solver("zz")


def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "cvc5", None)
    with pytest.raises(UsageError, match="pip install cvc5"):
        Solver("cvc5")


SMALL = Setting(
    "SMALL",
    Vocabulary().extend([_p("p", "v"), _p("n", "v1 v2", "function"), _p("b", "")]),
)
MODELS = tuple(concrete_structures(SMALL.vocabulary, range(1, 4)))


@settings(max_examples=60)
@given(formulas(SMALL.vocabulary, (), depth=3, rank=3, unknown=False))
def test_answers_agree_with_enumeration(f: Formula) -> None:
    """Up to three individuals are enumerated: Unsat must have no model there, Sat comes with a model."""
    has_small_model = any(holds(c, f, {}) for c in MODELS)
    limits = Limits(query_seconds=0.3, individuals=3)
    for backend in ("z3", "ground"):
        answer = check(conj(f, ONE_SUCCESSOR), backend=backend, limits=limits, fields=FIELDS)
        if isinstance(answer, Unsat):
            assert not has_small_model, f"{backend}: {f}"
        elif isinstance(answer, Sat):
            assert answer.model.satisfies(f)
        elif backend == "ground":
            assert not has_small_model, f"ground finds every model up to its bound: {f}"


@pytest.mark.parametrize("backend", BACKENDS)
def test_assumptions_count(backend: str) -> None:
    """What is assumed needs individuals of its own, and a core has what is to blame and nothing else."""
    pytest.importorskip({"cvc5": "cvc5", "ground": "pysat"}.get(backend, "z3"))
    session = Solver(backend).session([forall("v", p("v"))], Universe())
    three = exists("abc", conj(*(neg(Equal(*pair)) for pair in ("ab", "ac", "bc"))))
    two = forall("abc", disj(*(Equal(*pair) for pair in ("ab", "ac", "bc"))))
    assert isinstance(session.check([three]), Sat)
    assert session.check([exists("v", p("v")), three, two]) == Unsat(frozenset({1, 2}))
    assert isinstance(session.check([two]), Sat), "assumptions are forgotten"
