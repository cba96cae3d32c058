"""The decision procedure for one functional field, alone: against all stores of up to four individuals.

A structure that is missing would be unsound, one too many imprecise: each must come with a store that the naive
definitions accept.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle.concrete import concrete_structures, holds, is_valid
from tests.oracle.generate import Setting, _p, _reached_from, abstractions, formulas
from tests.oracle.naive import NaiveStructure, embeds, from_structure, to_structure

from kleene.logic.formula import (
    TRUE,
    And,
    Atom,
    Closure,
    Equal,
    Exists,
    Forall,
    Formula,
    Iff,
    Not,
    Or,
    reflexive_closure,
    transitive_closure,
)
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.structures.canonical import canonical_abstraction
from kleene.structures.embedding import embeds as structure_embeds
from kleene.structures.evaluate import evaluate
from kleene.structures.structure import Structure
from kleene.symbolic import Theory, alpha_hat
from kleene.symbolic.assume import top
from kleene.symbolic.one_field import decide as decide_module
from kleene.symbolic.one_field.decide import decide
from kleene.symbolic.one_field.graphs import graph_of
from kleene.symbolic.result import without_embedded
from kleene.transformers.action import Rule
from kleene.tvp.program import parse_formula

from .enumeration import abstraction_of

MOST_INDIVIDUALS = 4


def _always() -> float:
    return 60.0


class Patience:
    """A clock that ends after a number of looks, so that answers do not depend on the machine."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def __call__(self) -> float:
        self.looks -= 1
        return float(self.looks)


def _step(a: str, b: str) -> Formula:
    return Atom("n", (a, b))


_SHARED = Exists("a", Exists("b", And(_step("a", "v"), And(_step("b", "v"), Not(Equal("a", "b"))))))


def _setting(name: str, *predicates: Predicate, rules: tuple[Rule, ...] = ()) -> Setting:
    field = _p("n", "v1 v2", "function")
    return Setting(name, Vocabulary().extend([_p("x", "v", "unique", "abs"), field, *predicates]), rules, bound=4)


R_X = _p("r", "v", "abs", definition=_reached_from("x"))
CYCLIC = _p("c", "v", "abs", definition=transitive_closure("n", "v", "v"))
SHARED = _p("is", "v", "abs", definition=_SHARED)
LASSO = _setting("LASSO", SHARED, CYCLIC, R_X)
PATHS = _setting("PATHS", _p("t", "v1 v2", definition=reflexive_closure("n", "v1", "v2")), R_X)
STRICT = _setting("STRICT", _p("t", "v1 v2", definition=transitive_closure("n", "v1", "v2")), SHARED)
BACK = _setting(
    "BACK", _p("to", "v", "abs", definition=Exists("a", And(Atom("x", ("a",)), reflexive_closure("n", "v", "a"))))
)
LOOPS = _setting("LOOPS", _p("self", "v", "abs", definition=_step("v", "v")), CYCLIC)
NEXT = _setting(
    "NEXT",
    _p("m", "v", "abs"),
    _p("beforem", "v", "abs", definition=Exists("a", And(_step("v", "a"), Atom("m", ("a",))))),
    _p("behindm", "v", definition=Exists("a", And(_step("a", "v"), Atom("m", ("a",))))),
)
FLAG = _setting("FLAG", _p("empty", "", definition=Not(Exists("v", Atom("x", ("v",))))), _p("g", ""), R_X)
RULED = _setting(
    "RULED", R_X, CYCLIC, rules=(Rule(Exists("a", And(_step("a", "v"), Atom("x", ("v",)))), Not(Equal("v", "v"))),)
)
R_Y = _p("ry", "v", "abs", definition=_reached_from("y"))
TWO = _setting("TWO", _p("y", "v", "unique", "abs"), R_X, R_Y)
ACYCLIC = Setting(
    "ACYCLIC",
    Vocabulary().extend(
        [p if p.name != "n" else _p("n", "v1 v2", "function", "acyclic") for p in TWO.vocabulary.declared]
    ),
    (),
    bound=4,
)
SETTINGS = (LASSO, PATHS, STRICT, BACK, LOOPS, NEXT, FLAG)


@cache
def stores(setting: Setting) -> tuple[NaiveStructure, ...]:
    most = MOST_INDIVIDUALS if len(setting.vocabulary.declared) < 6 else MOST_INDIVIDUALS - 1
    return tuple(concrete_structures(setting.vocabulary, range(most + 1), setting.rules))


class NotDecided(Exception):
    """The formula is not among those that the procedure decides, or has too many structures."""


def check_large(store: Structure, formula: Formula, structure: Structure, theory: Theory) -> None:
    """A store that is too large for the naive definitions, by those of three-valued logic."""
    for condition in (*(i.formula for i in theory.integrity), formula):
        assert evaluate(store, condition) is Kleene.TRUE, f"{store} does not satisfy {condition}"
    if structure != top(theory):
        assert structure_embeds(store, structure), f"{store} is not in the input"


def check(setting: Setting, formula: Formula, inputs: NaiveStructure | None) -> int:
    """Compare both answers with all small stores; the number of structures of the one that was asked for."""
    theory = Theory(setting.vocabulary, setting.rules)
    structure = top(theory) if inputs is None else to_structure(inputs)
    answer = decide(formula, structure, theory, Patience(10))
    largest = decide(formula, structure, theory, Patience(10), minimal=True)
    if largest is None:
        raise NotDecided
    naive = from_structure(structure)
    expected = {abstraction_of(c) for c in stores(setting) if holds(c, formula, {}) and embeds(c, naive)}
    for decision in filter(None, (answer, largest)):
        for abstract, example in decision.structures.items():
            store = example()
            assert store is not None
            if store.size > MOST_INDIVIDUALS:
                assert canonical_abstraction(store) == abstract
                check_large(store, formula, structure, theory)
                continue
            concrete = from_structure(store)
            assert is_valid(concrete, setting.rules), f"{concrete} is not legal"
            assert holds(concrete, formula, {}), f"{concrete} does not satisfy {formula}"
            assert embeds(concrete, naive), f"{concrete} is not in the input"
            assert abstraction_of(concrete) == abstract
    assert largest.minimal
    for abstract in expected:
        assert any(structure_embeds(abstract, larger) for larger in largest.structures), f"missing: {abstract}"
    if answer is None or answer.minimal:
        return len(largest.structures)
    missing = expected - answer.structures.keys()
    assert not missing, f"missing: {missing}"
    assert {*without_embedded(largest.structures)} == {*without_embedded(answer.structures)}
    return len(answer.structures)


WITNESSED = [
    "E(v, w) n*(v, w) & v != w",
    "E(v, w) !n*(v, w) & !n*(w, v)",
    "E(v, w) is(v) & is(w) & v != w & n*(v, w)",
    "E(v) (is(v) & c(v) & A(w) (c(w) & is(w) -> w == v))",
    "E(v, w) is(v) & !is(w) & !n*(v, w)",
    "!(E(v, w) c(v) & is(w) & !n*(v, w))",
    "A(v, w) (n*(v, w) | n*(w, v))",
    "A(v, w) (n+(v, w) | n+(w, v))",
    "A(v, w) (c(v) & is(w) -> n*(v, w) | n*(w, v))",
    "(A(v, w) (n*(v, w) | n*(w, v))) <-> E(v) x(v)",
    "E(v) A(w) n*(v, w)",
    "E(v) A(w) n*(w, v)",
    "E(v) A(w) (n*(v, w) | !r(w))",
    "E(v, w, u) n(v, w) & n(w, u) & v != u",
    "(E(v, w) v != w & n(v, w) & n(w, v)) | A(v) c(v)",
    "E(v1, v2, v3) (n(v1, v3) & n(v2, v3) & v1 != v2 & r(v1) & !r(v2))",
    "E(v1, v2, v3) (n(v1, v3) & n(v2, v3) & v1 != v2 & r(v1) & is(v2))",
    "!(E(v1, v2, v3) (n(v1, v3) & n(v2, v3) & v1 != v2 & r(v1) & is(v2)))",
    "E(v) (x(v) & E(w) (n(w, v) & w != v & c(w)))",
    "A(v) (c(v) -> E(w) (n(w, v) & w != v & is(w)))",
    "A(v, w) (n*(v, w) -> v == w)",
    "A(v) (is(v) -> E(w) (n*(w, v) & v != w))",
    "!(A(v) (r(v) -> E(w) (n(v, w) & !n*(w, v))))",
    "A(v) (is(v) -> E(w) (n*(w, v) & !n+(v, w) & !is(w)))",
    "A(v) (c(v) -> E(w) (n+(w, v) & !n*(v, w) & !is(w)))",
    "A(v) (r(v) -> E(w) (n*(v, w) & !n+(w, v) & is(w)))",
    "A(v) (r(v) -> E(w) (n*(v, w) & !n*(w, v) & is(w)))",
    "E(v) (c(v) & E(w) (n(w, v) & !n*(v, w) & r(w)))",
    "E(v, w) x(w) & (TC(v, w)(a, b) n(b, a)) & !c(v)",
]
"""Formulas that need pointers to witnesses, different predecessors, or the inverse field."""


@pytest.mark.parametrize("formula", WITNESSED)
def test_witnesses(formula: str) -> None:
    with suppress(NotDecided):
        assert check(LASSO, parse_formula(formula, LASSO.vocabulary), None)


@settings(max_examples=10)
@given(st.data())
def test_pairs_without_paths(data: st.DataObject) -> None:
    """Two individuals that are not related by paths, wanted, refused, or both."""
    setting = data.draw(st.sampled_from((LASSO, PATHS, STRICT, LOOPS)))
    unary = [p.name for p in setting.vocabulary.declared if p.arity == 1]

    def some_pair() -> Formula:
        literals = data.draw(
            st.lists(
                st.sampled_from([("v", "w", 2), ("v", "w", 3), ("w", "v", 2), ("w", "v", 3)]), min_size=1, max_size=2
            )
        )
        body: Formula = Not(Equal("v", "w")) if data.draw(st.booleans()) else TRUE
        for a, b, link in literals:
            body = And(body, Not(_LINKS[link](a, b)))
        for v in ("v", "w"):
            condition = Atom(data.draw(st.sampled_from(unary)), (v,))
            body = And(body, data.draw(st.sampled_from([condition, Not(condition), TRUE])))
        formula: Formula = Exists("v", Exists("w", body))
        return formula if data.draw(st.booleans()) else Not(formula)

    formula = data.draw(st.sampled_from([And, Or, Iff]))(some_pair(), some_pair())
    with suppress(NotDecided):
        check(setting, formula, data.draw(st.one_of(st.none(), abstractions(setting))))


EVERYTHING_REACHED = Forall("v", Atom("r", ("v",)))


@pytest.mark.parametrize(
    ("setting", "formula", "structures"),
    [
        (LASSO, EVERYTHING_REACHED, 16),
        (LASSO, Forall("v", And(Atom("r", ("v",)), Atom("c", ("v",)))), 4),
        (PATHS, EVERYTHING_REACHED, None),
        (RULED, EVERYTHING_REACHED, None),
        (BACK, TRUE, None),
        (LOOPS, Forall("v", Atom("self", ("v",))), None),
    ],
)
def test_alpha(setting: Setting, formula: Formula, structures: int | None) -> None:
    number = check(setting, formula, None)
    assert structures is None or number == structures


def test_the_operation_uses_it() -> None:
    """Lists and lassos that one pointer reaches were undecided after two minutes."""
    result = alpha_hat(EVERYTHING_REACHED, Theory(LASSO.vocabulary, LASSO.rules))
    assert result.most_precise
    assert len(result.structures) == 16
    assert result.solver_calls == 0


def test_stores_are_built_where_somebody_looks_at_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two lists with garbage have 16,873 structures: most of the time went to their examples of a hundred nodes."""
    built = []
    monkeypatch.setattr(decide_module, "graph_of", lambda *given: built.append(given) or graph_of(*given))
    result = alpha_hat(EVERYTHING_REACHED, Theory(LASSO.vocabulary, LASSO.rules))
    assert not built
    first = result.stores[0]
    assert first is not None
    assert canonical_abstraction(first) == result.structures[0]
    assert len(built) == 1
    assert [canonical_abstraction(s) for s in result.stores if s is not None] == list(result.structures)
    assert len(built) == len(result.stores[:]) == 16


def test_two_lists_with_a_common_end() -> None:
    vocabulary = LASSO.vocabulary.extend(
        [_p("y", "v", "unique", "abs"), _p("ry", "v", "abs", definition=_reached_from("y"))]
    )
    reached = Or(Atom("r", ("v",)), Atom("ry", ("v",)))
    formula = Forall("v", And(reached, Not(Atom("c", ("v",)))))
    answer = decide(formula, top(Theory(vocabulary)), Theory(vocabulary), _always)
    assert answer is not None
    assert not answer.minimal
    assert len(answer.structures) == 64


def test_not_decided_here() -> None:
    """Two fields, relations, and formulas that relate individuals in other ways are left to the provers."""
    two = LASSO.vocabulary.extend([_p("m", "v1 v2", "function")])
    assert decide(TRUE, top(Theory(two)), Theory(two), _always) is None
    theory = Theory(LASSO.vocabulary)
    other = Forall("v", Forall("w", Or(Closure("v", "w", "a", "b", _step("a", "b")), _step("w", "v"))))
    assert decide(other, top(theory), theory, _always) is None
    assert decide(TRUE, top(theory), theory, lambda: 0.0) is None


REACHED = Forall("v", Or(Atom("r", ("v",)), Atom("ry", ("v",))))
_LINKS: tuple[Callable[[str, str], Formula], ...] = (
    _step,
    Equal,
    lambda a, b: transitive_closure("n", a, b),
    lambda a, b: reflexive_closure("n", a, b),
)


@pytest.mark.parametrize("setting", [ACYCLIC, TWO], ids=lambda s: s.name)
@settings(max_examples=8)
@given(data=st.data())
def test_links_with_targets_of_pointers(setting: Setting, data: st.DataObject) -> None:
    """Any links, also negative ones and cycles of links, between the targets of two pointers and a third individual."""
    body: Formula = And(Atom("x", ("v",)), Atom("y", ("w",)))
    for a, b in data.draw(st.lists(st.sampled_from([("v", "w"), ("w", "v"), ("v", "u"), ("u", "w")]), max_size=4)):
        link = data.draw(st.sampled_from(_LINKS))(a, b)
        body = And(body, link if data.draw(st.booleans()) else Not(link))
    formula = Exists("v", Exists("w", Exists("u", body)))
    with suppress(NotDecided):
        check(setting, And(REACHED, formula if data.draw(st.booleans()) else Not(formula)), None)


@pytest.mark.parametrize(
    ("formula", "structures"),
    [
        ("E(v, w) x(v) & y(w) & n*(v, w) & !n(v, w) & v != w", 6),
        ("E(v, w) x(v) & y(w) & !n*(v, w) & !n*(w, v)", 27),
        ("E(v, w, u) x(v) & y(w) & n*(v, u) & n*(u, w) & u != v & u != w", 6),
    ],
)
def test_pointers_into_lists(formula: str, structures: int) -> None:
    assert check(ACYCLIC, And(REACHED, parse_formula(formula, ACYCLIC.vocabulary)), None) == structures


@settings(max_examples=20)
@given(st.data())
def test_random_formulas(data: st.DataObject) -> None:
    setting = data.draw(st.sampled_from(SETTINGS))
    formula = data.draw(formulas(setting.vocabulary, free=(), depth=3, rank=2, unknown=False))
    inputs = data.draw(st.one_of(st.none(), abstractions(setting)))
    with suppress(NotDecided):
        check(setting, formula, inputs)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.name)
@settings(max_examples=6)
@given(data=st.data())
def test_random_inputs(setting: Setting, data: st.DataObject) -> None:
    unary = [p.name for p in setting.vocabulary.declared if p.arity == 1]
    name = data.draw(st.sampled_from(unary))
    other = data.draw(st.sampled_from(unary))
    formula = data.draw(
        st.sampled_from(
            [
                TRUE,
                Exists("v", Atom(name, ("v",))),
                Forall("v", Or(Atom(name, ("v",)), Not(Atom(other, ("v",))))),
                Exists("v", Exists("w", And(_step("v", "w"), And(Atom(name, ("v",)), Not(Atom(other, ("w",))))))),
                Iff(Exists("v", Atom(name, ("v",))), Forall("v", Atom(other, ("v",)))),
            ]
        )
    )
    with suppress(NotDecided):
        check(setting, formula, data.draw(abstractions(setting)))
