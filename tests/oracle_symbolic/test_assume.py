"""assume, alpha_hat and meet against brute-force enumeration."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle.concrete import holds
from tests.oracle.generate import (
    ACYCLIC,
    GRAPH,
    LIST,
    ORDER,
    Setting,
    abstractions,
    all_concrete,
    concrete,
    formulas,
    gamma,
)
from tests.oracle.naive import NaiveStructure, blur, embeds, from_structure, to_structure

from kleene.logic.formula import TRUE, Formula
from kleene.smt import Limits
from kleene.structures.embedding import embeds as engine_embeds
from kleene.symbolic import SymbolicOptions, SymbolicResult, Theory, alpha_hat, assume, meet

from .enumeration import assert_covers, assert_stores

LIMITS = Limits(query_seconds=0.2, total_seconds=1.5, individuals=3)
SETTINGS = st.sampled_from((LIST, ACYCLIC, GRAPH, ORDER))
DATA = st.data()


def options(backend: str = "z3") -> SymbolicOptions:
    return SymbolicOptions(backend=backend, limits=LIMITS, leaves=40, one_field=False)


def few_enough(s: NaiveStructure) -> bool:
    """Structures with thousands of results are legal but slow."""
    return sum(value == 0.5 for entries in s.values.values() for value in entries.values()) <= 14


def run(setting: Setting, s: NaiveStructure, f: Formula, backend: str) -> SymbolicResult:
    theory = Theory(setting.vocabulary, setting.rules)
    return assume(f, [to_structure(s)], theory, options(backend), bounded=False)


@settings(max_examples=20)
@given(DATA)
def test_assume_against_enumeration(data: st.DataObject) -> None:
    setting = data.draw(SETTINGS)
    s = data.draw(abstractions(setting).filter(few_enough))
    f = data.draw(formulas(setting.vocabulary, (), depth=3, rank=2, unknown=False))
    result = run(setting, s, f, "z3")
    assert_stores(result, setting, [s], f)
    assert_covers(result, [c for c in gamma(setting, s) if holds(c, f, {})])


@settings(max_examples=12)
@given(DATA)
def test_back_ends_agree(data: st.DataObject) -> None:
    """Exact results are equal; a result that was not decided represents the stores of the exact one."""
    setting = data.draw(SETTINGS)
    s = data.draw(abstractions(setting).filter(few_enough))
    f = data.draw(formulas(setting.vocabulary, (), depth=2, rank=2, unknown=False))
    results = [run(setting, s, f, backend) for backend in ("z3", "cvc5", "ground")]
    exact = [r for r in results if r.most_precise]
    assert all(r.structures == exact[0].structures for r in exact)
    for r in results:
        for store in exact[0].stores if exact else ():
            assert store is not None
            assert any(engine_embeds(store, t) for t in r.structures)


@settings(max_examples=10)
@given(DATA)
def test_meet_against_enumeration(data: st.DataObject) -> None:
    setting = data.draw(SETTINGS)
    left, right = blur(data.draw(concrete(setting))), blur(data.draw(concrete(setting)))
    theory = Theory(setting.vocabulary, setting.rules)
    result = meet([to_structure(left)], [to_structure(right)], theory, options())
    both = [c for c in gamma(setting, left) if embeds(c, right)]
    assert_covers(result, both)
    assert_stores(result, setting, [left], TRUE)
    assert_stores(result, setting, [right], TRUE)


@settings(max_examples=5)
@given(DATA)
def test_alpha_hat_against_enumeration(data: st.DataObject) -> None:
    """Of every store up to the bound that satisfies the formula, the abstraction is found (or represented)."""
    setting = data.draw(st.sampled_from((ACYCLIC, ORDER)))
    f = data.draw(formulas(setting.vocabulary, (), depth=2, rank=2, unknown=False))
    result = alpha_hat(f, Theory(setting.vocabulary, setting.rules), options())
    assert_covers(result, [c for c in all_concrete(setting) if holds(c, f, {})])
    for store in result.stores:
        if store is not None:
            assert holds(from_structure(store), f, {})
