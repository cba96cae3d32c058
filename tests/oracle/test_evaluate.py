"""Formula evaluation (Def. 7.3) against the naive semantics, against two-valued logic, and Theorem 7.2."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleene.logic.formula import And, Atom, Closure, Formula, Or, reflexive_closure, transitive_closure
from kleene.logic.kleene import Kleene
from kleene.structures.evaluate import evaluate

from .concrete import holds
from .generate import ALL, LIST, SETTINGS, TERNARY, abstractions, concrete, formulas, structures
from .naive import HALF, KLEENE, NUMBER, NaiveStructure, assignments, blur, blur_function, empty, to_structure
from .naive import evaluate as naive_evaluate

DATA = st.data()
BUILTIN = ("sm", "ac", "isNew", "instance")


def assert_same_values(s: NaiveStructure, f: Formula, most: int = 100) -> None:
    """The engine's value equals the naive one on (at most `most`) assignments of the free variables."""
    structure = to_structure(s)
    every = list(assignments(s, f.free))
    for z in every[:: max(1, len(every) // most)]:
        expected = KLEENE[naive_evaluate(s, f, z)]
        assert evaluate(structure, f, z) is expected, f"{f} at {z} in {s}"


@settings(max_examples=350)
@given(DATA)
def test_equals_definition_7_3(data: st.DataObject) -> None:
    vocabulary = data.draw(SETTINGS).vocabulary
    s = data.draw(structures(vocabulary))
    assert_same_values(s, data.draw(formulas(vocabulary, builtin=BUILTIN)), most=20)


@settings(max_examples=100)
@given(DATA)
def test_equals_definition_7_3_with_few_variables(data: st.DataObject) -> None:
    """Closed and unary formulas, as in preconditions and unary updates."""
    vocabulary = data.draw(SETTINGS).vocabulary
    s = data.draw(structures(vocabulary, most=5))
    assert_same_values(s, data.draw(formulas(vocabulary, data.draw(st.sampled_from([(), ("v",)])), depth=5)))


@settings(max_examples=60)
@given(DATA)
def test_equals_definition_7_3_beyond_the_first_width(data: st.DataObject) -> None:
    """13 to 18 nodes: on both sides of the step from width 16 to width 32."""
    vocabulary = data.draw(st.sampled_from(ALL)).vocabulary
    s = data.draw(structures(vocabulary, least=13, most=18))
    assert_same_values(s, data.draw(formulas(vocabulary, ("v", "w"), depth=3, rank=2)), most=4)


@settings(max_examples=60)
@given(DATA)
def test_ternary_predicates(data: st.DataObject) -> None:
    s = data.draw(structures(TERNARY.vocabulary, most=5))
    assert_same_values(s, data.draw(formulas(TERNARY.vocabulary, ("v", "w", "a"), depth=3)), most=30)


@settings(max_examples=150)
@given(DATA)
def test_agrees_with_two_valued_logic(data: st.DataObject) -> None:
    """On concrete structures a formula is true or false, as Python's `any` and `all` say."""
    setting = data.draw(SETTINGS)
    c = data.draw(concrete(setting))
    f = data.draw(formulas(setting.vocabulary, unknown=False))
    structure = to_structure(c)
    for z in list(assignments(c, f.free))[:20]:
        expected = Kleene.TRUE if holds(c, f, z) else Kleene.FALSE
        assert evaluate(structure, f, z) is expected, f"{f} at {z} in {c}"


@settings(max_examples=100)
@given(DATA)
def test_embedding_theorem(data: st.DataObject) -> None:
    """Theorem 7.2: values grow only in the information order along an embedding (here: blur)."""
    setting = data.draw(SETTINGS)
    s = data.draw(concrete(setting) | abstractions(setting) | structures(setting.vocabulary))
    definite = data.draw(st.booleans())
    f, image = blur_function(s, definite_names=definite), blur(s, definite_names=definite)
    formula = data.draw(formulas(setting.vocabulary))
    small, large = to_structure(s), to_structure(image)
    for z in list(assignments(s, formula.free))[:20]:
        mapped = {v: f[u] for v, u in z.items()}
        below, above = evaluate(small, formula, z), evaluate(large, formula, mapped)
        assert below.leq(above), f"{formula} at {z} in {s}"


@pytest.mark.parametrize("size", [2, 4, 7, 14, 15, 20])
@pytest.mark.parametrize("weak", [None, 0.0, HALF])
def test_closure_of_a_long_chain(size: int, weak: float | None) -> None:
    """One path visits every node; one inner step is missing or unknown, or (last case) all is certain."""
    s = empty(LIST.vocabulary, size)
    for u in range(size - 1):
        s.set("n", (size - 1 - u, size - 2 - u), 1.0)
    middle = size // 2
    if weak is not None:
        s.set("n", (middle, middle - 1), weak)
    structure = to_structure(s)
    for f in (
        transitive_closure("n", "v", "w"),
        reflexive_closure("n", "v", "w"),
        Closure("v", "w", "a", "b", Or(Atom("n", ("a", "b")), And(Atom("x", ("v",)), Atom("y", ("b",))))),
    ):
        for z in ({"v": size - 1, "w": 0}, {"v": 0, "w": size - 1}, {"v": size - 1, "w": size - 1}):
            assert evaluate(structure, f, z) is KLEENE[naive_evaluate(s, f, z)]
    s.set("ac", (middle,), HALF)
    f = transitive_closure("n", "v", "w")
    z = {"v": size - 1, "w": 0}
    assert evaluate(to_structure(s), f, z) is KLEENE[naive_evaluate(s, f, z)]


def test_values_are_numbers_of_the_oracle() -> None:
    assert {KLEENE[number] for number in NUMBER.values()} == set(Kleene)
