"""The native machine and the Python machine give the same on structures of more than 64 nodes, and refuse the same."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleene.diagnostics import LimitReached
from kleene.domains.shape.domain import ShapeDomain, ShapeOptions
from kleene.domains.shape.stores import JOINS
from kleene.logic.formula import Atom
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.structures.evaluate import rails
from kleene.structures.layout import MOST_NODES
from kleene.structures.machine import native_is_built
from kleene.structures.structure import AC, AC_MAY, SM, SM_MUST, Structure
from kleene.transformers.action import Action
from kleene.transformers.draft import Draft
from kleene.transformers.rules import all_rules

from .actions import actions
from .generate import ALL, SETTINGS, formulas
from .machines import MACHINES, on, random_structure, seen, steps

pytestmark = pytest.mark.skipif(not native_is_built(), reason="the native machine is not built")
DATA = st.data()
SIZES = (65, 126, 127, 128, 129, 254, 255, 256, 257, 510)
"""On both sides of every width, of the native machine's and of Python's."""


@settings(max_examples=30, deadline=None)
@given(DATA)
def test_programs_on_wide_structures(data: st.DataObject) -> None:
    """Formulas with few variables: values of many axes are slow in Python here."""
    from kleene.structures.program.native_machine import native_rails

    setting = data.draw(SETTINGS.filter(lambda s: all(p.arity < 3 for p in s.vocabulary)))
    formula = data.draw(formulas(setting.vocabulary))
    if formula.binders + len(formula.free) > 2:
        return
    source = random.Random(data.draw(st.integers(0, 1 << 30)))
    size = data.draw(st.sampled_from(SIZES))
    structure = random_structure(setting.vocabulary, size, source, maybe_active=data.draw(st.booleans()))
    assert native_rails(structure, formula, formula.free) == rails(structure, formula, formula.free)


@settings(max_examples=24, deadline=None)
@given(DATA)
def test_steps_on_wide_structures(data: st.DataObject) -> None:
    """More than 64 nodes, or more than 128, perhaps only after the step."""
    setting = data.draw(SETTINGS.filter(lambda s: all(p.arity < 3 for p in s.vocabulary)))
    source = random.Random(data.draw(st.integers(0, 1 << 30)))
    sizes = [data.draw(st.sampled_from((64, 65, 128))), 4]
    batch = [
        random_structure(setting.vocabulary, size, source, maybe_active=data.draw(st.booleans())) for size in sizes
    ]
    stages = data.draw(st.sampled_from(("pub", "puc")))  # to focus on random values takes for ever
    options = ShapeOptions(stages=stages, join="part" if "b" in stages else "conc")
    action = data.draw(actions(setting))
    if action.clone is not None or (action.precondition is not None and action.precondition.free):
        return  # one result for each node, or many copies: slow in Python, and nothing is different on wide structures
    rules = all_rules(setting.vocabulary, setting.rules)
    python, native = (
        steps(machine, setting.vocabulary, rules, options, action, batch, threads=2) for machine in MACHINES
    )
    assert native == python


@pytest.mark.parametrize("size", [64, 65, 127, 128, 254, 256])
def test_focus_on_wide_structures(size: int) -> None:
    """A pointer that is 1/2 at a node and at a summary node: from 64 nodes to 65, from 128 to 129, from 256 to 257."""
    setting = ALL[0]
    source = random.Random(size)
    given = random_structure(setting.vocabulary, size, source, maybe_active=False)
    values = [given.values[k & ~1] for k in range(len(given.values))]  # what is 1 stays 1, all else is 0
    x = 2 * setting.vocabulary.index("x")
    values[x], values[x + 1] = 0, 1 << size - 1 | 1 << size // 2
    values[SM_MUST], values[SM], values[AC], values[AC_MAY] = 0, 1 << size - 1, *[(1 << size) - 1] * 2
    batch = [Structure(setting.vocabulary, size, tuple(values))]
    action = Action("focus", focus=(Atom("x", ("v",)),))
    python, native = (
        steps(machine, setting.vocabulary, (), ShapeOptions(join="conc", stages="fpu"), action, batch)
        for machine in MACHINES
    )
    assert sorted({n for n, _ in python[0]}) == [size, size + 1]
    assert native == python


@pytest.mark.parametrize("join", JOINS)
def test_stores_of_wide_structures(join: str) -> None:
    """Structures of many widths meet in one store; joins by name may have more nodes than both."""
    setting = next(s for s in ALL if all(p.arity < 3 for p in s.vocabulary))
    source = random.Random(5)
    sizes = (60, 65, 129) if join == "conc" else (60, 65, 129, 257)  # to compare all nodes takes long in Python
    batch = [random_structure(setting.vocabulary, size, source, maybe_active=size % 2 == 0) for size in sizes]
    answers = []
    for machine in MACHINES:
        with on(machine):
            domain = ShapeDomain(setting.vocabulary, all_rules(setting.vocabulary, ()), ShapeOptions(join=join))
            given = batch if join == "conc" else [domain.blur(Draft.of(s, 0), s) for s in batch]
            store = domain.store()
            added = [seen(store.add(given)), seen(store.add(given[::-1])), seen(store.elements())]
            answers.append((added, len(store), [store.covers(s) for s in given]))
    assert answers[0] == answers[1]


def test_a_batch_of_many_widths_keeps_its_order() -> None:
    setting = ALL[0]
    rules = all_rules(setting.vocabulary, ())
    source = random.Random(1)
    batch = [random_structure(setting.vocabulary, size, source, maybe_active=False) for size in (3, 140, 4, 260, 5)]
    action = Action("nothing")
    options = ShapeOptions(stages="pu", join="conc")
    python = steps("python", setting.vocabulary, rules, options, action, batch)
    assert [size for size, _ in python[0]] == [3, 140, 4, 260, 5]
    assert steps("native", setting.vocabulary, rules, options, action, batch) == python
    with on("native"):
        domain = ShapeDomain(setting.vocabulary, rules, options)
        store = domain.store()
        assert len(store.add(batch)) == 5
        assert [s.size for s in store.elements()] == [3, 4, 5, 140, 260]
        assert all(store.covers(s) for s in batch)
        assert not store.add(batch)


@pytest.mark.parametrize("action", [Action("new", creates=True), Action("copies", clone=Atom("x", ("v",)))])
def test_no_structure_has_more_nodes_than_kleene_can_represent(action: Action) -> None:
    """Both machines end with the same message."""
    from kleene import _native

    setting = ALL[0]
    assert _native.MOST_NODES == MOST_NODES
    size = MOST_NODES
    empty = [0] * (2 * len(setting.vocabulary))
    empty[AC] = empty[AC_MAY] = (1 << size) - 1
    x = 2 * setting.vocabulary.index("x")
    empty[x] = empty[x + 1] = 1 << size - 1
    batch = [Structure(setting.vocabulary, size, tuple(empty))]
    python, native = (
        steps(machine, setting.vocabulary, (), ShapeOptions(stages="pu", join="conc"), action, batch)
        for machine in MACHINES
    )
    assert "511 nodes" in python[0]
    assert native == python


def test_no_join_has_more_nodes_than_kleene_can_represent() -> None:
    """Both machines end with the same message: every node of one structure has another name than those of the other."""
    names = [Predicate(f"p{k}", 1, ("v",), abstraction=True) for k in range(9)]
    vocabulary = Vocabulary(tuple(names))
    numbers = random.Random(2).sample(range(1 << len(names)), 1 << len(names))
    answers = []
    for machine in MACHINES:
        with on(machine):
            domain = ShapeDomain(vocabulary, (), ShapeOptions(join="ind"))
            store = domain.store()
            for own in (numbers[:200], numbers[200:]):
                values = [0] * (2 * len(vocabulary))
                values[AC] = values[AC_MAY] = (1 << len(own)) - 1
                for k, p in enumerate(names):
                    rail = 2 * vocabulary.index(p.name)
                    values[rail] = values[rail + 1] = sum(1 << u for u, number in enumerate(own) if number >> k & 1)
                structure = Structure(vocabulary, len(own), tuple(values))
                try:
                    answers.append(seen(store.add([domain.blur(Draft.of(structure, 0), structure)])))
                except LimitReached as limit:
                    answers.append(str(limit))
    assert "512 nodes" in answers[1]
    assert answers[:2] == answers[2:]
