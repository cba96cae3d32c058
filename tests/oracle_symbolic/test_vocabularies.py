"""Symbolic operations over vocabularies, rules and definitions that hypothesis chooses, and on stores of five nodes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise, product

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle.actions import actions
from tests.oracle.concrete import concrete_structures, holds, is_valid, step, with_definitions
from tests.oracle.generate import TERNARY, Setting, _p, _reached_from, abstractions, formulas, gamma
from tests.oracle.naive import NaiveStructure, blur, embeds, empty, to_structure

from kleene.logic.formula import And, Atom, Formula, Not, transitive_closure
from kleene.logic.vocabulary import Vocabulary
from kleene.smt import Limits
from kleene.symbolic import BestTransformer, SymbolicOptions, Theory, assume
from kleene.transformers.action import Rule

from .enumeration import assert_covers, assert_stores
from .test_assume import few_enough

OPTIONS = SymbolicOptions(
    limits=Limits(query_seconds=0.3, total_seconds=1.0, individuals=3), leaves=40, one_field=False
)
DATA = st.data()

FIVE_LIST = Setting(
    "FIVE_LIST",
    Vocabulary().extend(
        [
            _p("x", "v", "unique", "abs"),
            _p("n", "v1 v2", "function", "acyclic"),
            _p("r", "v", "abs", definition=_reached_from("x")),
        ]
    ),
    bound=3,
)
FIVE_CYCLES = Setting(
    "FIVE_CYCLES",
    Vocabulary().extend(
        [
            _p("x", "v", "unique", "abs"),
            _p("n", "v1 v2", "function", "invfunction"),
            _p("c", "v", "abs", definition=transitive_closure("n", "v", "v")),
        ]
    ),
    bound=3,
)


def _forests() -> Iterator[set[tuple[int, int]]]:
    """Every acyclic function on five nodes, up to their names: edges lead to larger numbers."""
    for targets in product(*(range(i + 1, 7) for i in range(5))):
        yield {(a, b) for a, b in enumerate(targets) if b < 5}


def _chains_and_cycles() -> Iterator[set[tuple[int, int]]]:
    """Every one-to-one partial function on five nodes, up to their names: chains and cycles, one after the other."""
    for ends in product((False, True), repeat=4):
        starts = [0, *(i + 1 for i in range(4) if ends[i]), 5]
        parts = list(pairwise(starts))
        for closed in product((False, True), repeat=len(parts)):
            chains = {(i, i + 1) for a, b in parts for i in range(a, b - 1)}
            yield chains | {(b - 1, a) for (a, b), cycle in zip(parts, closed, strict=True) if cycle}


@cache
def five(setting: Setting) -> tuple[NaiveStructure, ...]:
    """The legal stores of a setting with exactly five nodes, each at least once, and those with fewer than four."""
    found = list(concrete_structures(setting.vocabulary, range(4), setting.rules))
    for edges in _forests() if setting is FIVE_LIST else _chains_and_cycles():
        for x in range(6):
            s = empty(setting.vocabulary, 5)
            s.values["n"] = dict.fromkeys(edges, 1.0)
            s.values["x"] = {(x,): 1.0} if x < 5 else {}
            found.append(with_definitions(s))
    assert all(is_valid(s, setting.rules) for s in found)
    return tuple(found)


@settings(max_examples=6)
@given(DATA)
def test_assume_on_stores_of_five_nodes(data: st.DataObject) -> None:
    setting = data.draw(st.sampled_from((FIVE_LIST, FIVE_CYCLES)))
    s = blur(data.draw(st.sampled_from(five(setting))))
    f = data.draw(formulas(setting.vocabulary, (), depth=2, rank=2, unknown=False))
    result = assume(f, [to_structure(s)], Theory(setting.vocabulary, setting.rules), OPTIONS, bounded=False)
    assert_stores(result, setting, [s], f)
    assert_covers(result, [c for c in five(setting) if embeds(c, s) and holds(c, f, {})])


@settings(max_examples=4)
@given(DATA)
def test_best_transformer_on_stores_of_five_nodes(data: st.DataObject) -> None:
    setting = data.draw(st.sampled_from((FIVE_LIST, FIVE_CYCLES)))
    s = blur(data.draw(st.sampled_from(five(setting))))
    action = data.draw(actions(setting, universe=("keep", "keep", "retain")))
    best = BestTransformer(action, Theory(setting.vocabulary, setting.rules), OPTIONS)
    reached = [one.after for c in five(setting) if embeds(c, s) for one in step(c, action)]
    assert_covers(best.run([to_structure(s)]), [c for c in reached if is_valid(c, setting.rules)])


@st.composite
def chosen_settings(draw: st.DrawFn) -> Setting:
    """One or two unary predicates, one binary one with or without properties, a definition and perhaps a rule."""
    unary = [
        _p(name, "v", *draw(st.sampled_from([("abs",), ("unique", "abs"), ()])))
        for name in ("p", "q")[: draw(st.integers(1, 2))]
    ]
    properties = st.sampled_from(
        [(), ("function",), ("invfunction",), ("function", "acyclic"), ("symmetric",), ("transitive", "reflexive")]
    )
    core = Vocabulary().extend([*unary, _p("e", "v1 v2", *draw(properties))])
    definition = draw(formulas(core, ("v",), depth=2, rank=1, unknown=False))
    kind = draw(st.sampled_from([("abs",), ()]))
    vocabulary = core.extend([_p("d", "v", *kind, definition=definition)])
    rules = draw(st.sampled_from([(), (_never_next(),)]))
    return Setting("CHOSEN", vocabulary, rules)


def _never_next() -> Rule:
    both: Formula = And(Atom("p", ("v",)), Atom("e", ("v", "w")))
    return Rule(both, Not(Atom("p", ("w",))))


@settings(max_examples=8)
@given(DATA)
def test_assume_over_any_vocabulary(data: st.DataObject) -> None:
    setting = data.draw(st.one_of(chosen_settings(), st.just(TERNARY)))
    bounded = Setting(setting.name, setting.vocabulary, setting.rules, 2, setting.thinning)
    s: NaiveStructure = data.draw(abstractions(bounded).filter(few_enough))
    f = data.draw(formulas(setting.vocabulary, (), depth=2, rank=2, unknown=False))
    result = assume(f, [to_structure(s)], Theory(setting.vocabulary, setting.rules), OPTIONS, bounded=False)
    assert_stores(result, setting, [s], f)
    assert_covers(result, [c for c in gamma(bounded, s) if holds(c, f, {})])
