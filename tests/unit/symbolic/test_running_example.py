"""Figs. 2, 4, 5 of YRS04: exactly the eight structures, with fewer than 40 calls and in less than a second."""

from __future__ import annotations

import time

import pytest

from kleene.diagnostics import UsageError
from kleene.logic.formula import FALSE, TRUE, Atom, Exists, conj
from kleene.logic.kleene import Kleene
from kleene.smt import Limits, Sat, Unsat, check
from kleene.structures.canonical import canonical_abstraction
from kleene.structures.embedding import embeds
from kleene.symbolic import SymbolicOptions, Theory, alpha_hat, assume, gamma_hat, is_bounded, meet, paper
from kleene.tvp.program import parse_program

from .samples import INPUT, PRECONDITION, THEORY, edges, formula, structure

NO, HALF, YES = Kleene.FALSE, Kleene.UNKNOWN, Kleene.TRUE
EIGHT = {
    (2, False, NO, NO),
    *((3, False, a, b) for a, b in ((NO, NO), (YES, NO), (NO, YES))),
    *((3, True, a, b) for a in (NO, HALF) for b in (NO, HALF)),
}


@pytest.mark.parametrize("backend", ["z3", "cvc5", "ground"])
def test_exactly_the_eight_structures(backend: str) -> None:
    pytest.importorskip({"z3": "z3", "cvc5": "cvc5", "ground": "pysat"}[backend])
    start = time.process_time()
    result = assume(formula(PRECONDITION), [INPUT], THEORY, SymbolicOptions(backend=backend))
    assert time.process_time() - start < 1
    assert len(result.structures) == 8
    assert {edges(s) for s in result.structures} == EIGHT
    assert all(s.value("n", 0, 1) is YES for s in result.structures)
    assert result.most_precise
    assert result.reason is None
    assert result.solver_calls < 40
    for s, store in zip(result.structures, result.stores, strict=True):
        assert store is not None
        assert store.is_concrete
        assert canonical_abstraction(store) == s


def test_the_figures_to_the_letter() -> None:
    result = paper.assume(formula(PRECONDITION), [INPUT], THEORY)
    assert {edges(s) for s in result.structures} == EIGHT
    assert len(result.structures) == 8
    assert 40 < result.solver_calls < 300


def test_figure_4_is_not_exact() -> None:
    """'p is constant or q is constant' on one summary node: p = q = 1/2 is no canonical abstraction of a store."""
    text = '%p p(v)\n%p q(v)\n%p b(v) unique abs\n%%\n%action skip() { %t "" }\n%%\na skip() b'
    source = parse_program(text.replace("%p p(v)", "%p p(v) nonabs").replace("%p q(v)", "%p q(v) nonabs"))
    theory = Theory(source.vocabulary, source.rules)
    one = structure("%n = {u}\n%p = { sm = {u:1/2} p = {u:1/2} q = {u:1/2} }", source)
    f = formula("((A(v) p(v)) | (A(v) !p(v))) | ((A(v) q(v)) | (A(v) !q(v)))", source)
    exact = assume(f, [one], theory)
    printed = paper.assume(f, [one], theory)
    assert len(exact.structures) == 12
    assert len(printed.structures) == 13
    assert set(exact.structures) < set(printed.structures)


def test_minimal_results_represent_the_same_stores() -> None:
    every = assume(formula(PRECONDITION), [INPUT], THEORY)
    fewer = assume(formula(PRECONDITION), [INPUT], THEORY, SymbolicOptions(minimal=True))
    assert len(fewer.structures) < 8
    assert all(any(embeds(s, t) for t in fewer.structures) for s in every.structures)


def test_extreme_formulas() -> None:
    assert assume(FALSE, [INPUT], THEORY).structures == ()
    everything = assume(TRUE, [INPUT], THEORY)
    assert everything.most_precise
    assert {s for s in everything.structures if embeds(s, INPUT)} == set(everything.structures)
    assert assume(formula(PRECONDITION), [], THEORY).structures == ()


def test_gamma_hat_characterises_the_stores() -> None:
    characteristic = gamma_hat(INPUT, THEORY)
    assert not characteristic.free
    for text, legal in (("E(v) x(v)", True), ("E(v, w) (x(v) & n(w, v))", False), ("E(v) is(v)", False)):
        answer = check(conj(characteristic, formula(text)))
        assert isinstance(answer, Sat if legal else Unsat), text


def test_meet_is_what_both_represent() -> None:
    left = structure("%n = {u, w}\n%p = { sm = {w:1/2} x = {u} n = {u->w:1/2, w->w:1/2} }")
    right = structure("%n = {u, w}\n%p = { sm = {w:1/2} x = {u} n = {u->w:1/2} }")
    result = meet([left], [right], THEORY)
    assert result.most_precise
    assert all(embeds(s, left) and embeds(s, right) for s in result.structures)
    assert result.structures == assume(TRUE, [right], THEORY).structures
    other = structure("%n = {u}\n%p = { y = {u} }")
    assert meet([left], [other], THEORY).structures == ()


def test_alpha_hat_finds_the_empty_store_too() -> None:
    result = alpha_hat(formula("A(v) 0"), THEORY)
    assert [s.size for s in result.structures] == [0]
    result = alpha_hat(formula("A(v, w) v == w"), THEORY)
    assert len(result.structures) == 9
    assert result.most_precise


def test_bad_input() -> None:
    twins = structure("%n = {u, w}\n%p = { n = {u->w} }")
    assert not is_bounded(twins)
    with pytest.raises(UsageError, match=r"structure 1 is not bounded: .* u and w"):
        assume(TRUE, [twins], THEORY)
    with pytest.raises(UsageError, match="closed"):
        assume(Atom("x", ("v",)), [INPUT], THEORY)
    with pytest.raises(UsageError, match="'zz', which is not declared"):
        assume(Exists("v", Atom("zz", ("v",))), [INPUT], THEORY)
    with pytest.raises(UsageError, match="no integrity rules"):
        Theory(parse_program('%p p(v)\n%%\n%action skip() { %t "" }\n%%\na skip() b').vocabulary).check_rules()


def test_time_out_is_sound() -> None:
    result = assume(formula(PRECONDITION), [INPUT], THEORY, SymbolicOptions(limits=Limits(total_seconds=0.0)))
    assert not result.most_precise
    assert result.reason == "time limit reached"
    exact = assume(formula(PRECONDITION), [INPUT], THEORY)
    for store in exact.stores:
        assert store is not None
        assert any(embeds(store, s) for s in result.structures)
