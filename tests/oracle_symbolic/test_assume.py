"""assume, alpha_hat and meet against brute-force enumeration (issue 5, Trust)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleene.logic.formula import Atom, Exists, Or
from kleene.smt import Limits
from kleene.symbolic import SymbolicOptions, SymbolicResult, Theory, alpha_hat, assume, meet
from tests.oracle.concrete import holds
from tests.oracle.generate import ACYCLIC, GRAPH, LIST, ORDER, Setting, abstractions, all_concrete, formulas, gamma
from tests.oracle.naive import NaiveStructure, to_structure

from .enumeration import assert_covers, assert_stores

LIMITS = Limits(query_seconds=0.3, total_seconds=3.0, individuals=3)
SETTINGS = st.sampled_from((LIST, ACYCLIC, GRAPH, ORDER))
DATA = st.data()


def options(backend: str = "z3") -> SymbolicOptions:
    return SymbolicOptions(backend=backend, limits=LIMITS, leaves=40)


def few_enough(s: NaiveStructure) -> bool:
    """Structures with thousands of results are legal but slow."""
    return sum(value == 0.5 for entries in s.values.values() for value in entries.values()) <= 14


def run(setting: Setting, s: NaiveStructure, f: object, backend: str) -> SymbolicResult:
    theory = Theory(setting.vocabulary, setting.rules)
    return assume(f, [to_structure(s)], theory, options(backend), bounded=False)  # type: ignore[arg-type]


@settings(max_examples=40)
@given(DATA)
def test_assume_against_enumeration(data: st.DataObject) -> None:
    setting = data.draw(SETTINGS)
    s = data.draw(abstractions(setting).filter(few_enough))
    f = data.draw(formulas(setting.vocabulary, (), depth=3, rank=2, unknown=False))
    result = run(setting, s, f, "z3")
    assert_stores(result, setting, [s], f)
    assert_covers(result, [c for c in gamma(setting, s) if holds(c, f, {})])
