"""The native machine and the Python machine give the same: programs, rules, steps and stores on random input."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleene.cfa.graph import Edge
from kleene.core.domain import unite
from kleene.diagnostics import LimitReached
from kleene.domains.shape.domain import ShapeDomain, ShapeOptions
from kleene.domains.shape.stores import JOINS
from kleene.logic.formula import And, Atom, Exists, Forall, Formula, Not, Or
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.report.run.json import structure_json
from kleene.structures.evaluate import evaluate, rails
from kleene.structures.layout import MOST_NODES
from kleene.structures.machine import native_is_built
from kleene.structures.structure import AC, AC_MAY, SM, SM_MUST, Structure
from kleene.structures.tvs_writer import structure_tvs
from kleene.transformers.action import Action
from kleene.transformers.draft import Draft
from kleene.transformers.focus import FocusOptions
from kleene.transformers.rules import all_rules

from .actions import actions
from .generate import ALL, SETTINGS, Setting, abstractions, formulas
from .machines import MACHINES, on, random_structure, seen, steps
from .naive import to_structure

pytestmark = pytest.mark.skipif(not native_is_built(), reason="the native machine is not built")
DATA = st.data()
SIZES = (0, 1, 5, 8, 9, 14, 15, 16, 17, 30, 33, 62, 63, 64)
"""On both sides of every width, of the native machine's and of Python's."""
WIDE = (65, 126, 127, 128)
"""The same, of structures whose vectors are two words."""
WIDER = (129, 254, 255, 256, 257, 510)
"""The same, of structures whose vectors are arrays of words."""


@settings(max_examples=120, deadline=None)
@given(DATA)
def test_programs(data: st.DataObject) -> None:
    setting = data.draw(SETTINGS)
    formula = data.draw(formulas(setting.vocabulary))
    size = data.draw(st.sampled_from(SIZES if len(formula.free) < 3 else SIZES[:8]))
    source = random.Random(data.draw(st.integers(0, 1 << 30)))
    structure = random_structure(setting.vocabulary, size, source, maybe_active=data.draw(st.booleans()))
    from kleene.structures.program.native_machine import native_rails

    assert native_rails(structure, formula, formula.free) == rails(structure, formula, formula.free)


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
    size = data.draw(st.sampled_from((*WIDE, *WIDER)))
    structure = random_structure(setting.vocabulary, size, source, maybe_active=data.draw(st.booleans()))
    assert native_rails(structure, formula, formula.free) == rails(structure, formula, formula.free)


@settings(max_examples=30, deadline=None)
@given(DATA)
def test_texts_and_order(data: st.DataObject) -> None:
    """TVS, JSON, and which structure comes first."""
    from kleene import _native
    from kleene.structures.packed import PackedStructure
    from kleene.structures.program.native_machine import signature_of

    vocabulary = data.draw(SETTINGS).vocabulary
    source = random.Random(data.draw(st.integers(0, 1 << 30)))
    several = SIZES[:4] if any(p.arity > 2 for p in vocabulary) else (*SIZES[:9], *WIDE)
    sizes = [data.draw(st.sampled_from(several)) for _ in range(2)]
    structures = [random_structure(vocabulary, size, source, maybe_active=data.draw(st.booleans())) for size in sizes]
    signature = signature_of(vocabulary)
    assert signature is not None
    packed = [PackedStructure(vocabulary, _native.Handle(signature, s.size, s.values)) for s in structures]
    for one, other in zip(packed, structures, strict=True):
        assert structure_tvs(one, indent="  ") == structure_tvs(other, indent="  ")
        assert structure_json(one) == structure_json(other)
    for k, m in itertools.product(range(2), repeat=2):
        assert packed[k].precedes(packed[m]) == structures[k].precedes(structures[m])


@settings(max_examples=60, deadline=None)
@given(DATA)
def test_programs_with_parameters(data: st.DataObject) -> None:
    """A free variable stands for a given node; a quantifier over the same name hides it."""
    from kleene import _native
    from kleene.structures.program.build import MAY, MUST
    from kleene.structures.program.native_machine import Unsupported, bind, signature_of

    setting = data.draw(SETTINGS)
    formula = data.draw(formulas(setting.vocabulary))
    if not formula.free:
        return
    parameter, axes = formula.free[0], formula.free[1:]
    hiding = And(formula, Or(Exists(parameter, formula), Forall(parameter, Not(formula))))
    source = random.Random(data.draw(st.integers(0, 1 << 30)))
    structure = random_structure(setting.vocabulary, 3, source, maybe_active=data.draw(st.booleans()))
    all_active = structure.values[AC] == (1 << structure.size) - 1
    try:
        code = _native.compile_formulas([(hiding, rail, axes) for rail in (MUST, MAY)], (parameter,), all_active)
        program = bind(code, structure.vocabulary)
    except Unsupported:
        return
    signature = signature_of(structure.vocabulary)
    assert signature is not None
    handle = _native.Handle(signature, structure.size, structure.values)
    for node in range(structure.size):
        must, may = program.run(handle, [node])
        for nodes in itertools.product(range(structure.size), repeat=len(axes)):
            value = evaluate(structure, hiding, {parameter: node, **dict(zip(axes, nodes, strict=True))})
            bit = 1 << structure.layout.bit(nodes)
            assert (bool(must & bit), bool(may & bit)) == (value is Kleene.TRUE, value is not Kleene.FALSE)


def test_a_formula_that_is_nested_very_deeply_is_an_error() -> None:
    """No input ends the process: the native builder stops where Python's does."""
    from kleene import _native

    formula: Formula = Atom("x", ("v",))
    for k in range(5_000):
        formula = Exists("v", And(Not(formula), Atom("y", ("v",)))) if k % 2 else Not(Or(formula, Atom("z", ("v",))))
    with pytest.raises(RecursionError):
        _native.compile_formulas([(formula, 0, formula.free)], (), True)


def test_names_of_predicates_that_are_not_there() -> None:
    from kleene import _native

    with pytest.raises(KeyError):
        _native.compile_formulas([(Atom("x", ("v",)), 0, ("v",))], (), True).bind(_native.Signature([1, 1, 1, 2]), {})
    with pytest.raises(KeyError):
        _native.compile_prefix({}, [Atom("x", ("v",))], (), ("v",), True)
    with pytest.raises(TypeError):
        _native.compile_formulas([(Atom("x", ("v",)), 0, (1,))], (), True)  # type: ignore[list-item]


OPTIONS = {
    "plain": ShapeOptions(),
    "as TVLA": ShapeOptions(focus=FocusOptions(overlapping=True, split_active=False)),
    "not coerced before": ShapeOptions(stages="fpucb"),
    "not coerced after": ShapeOptions(stages="fcpub", freeze=True),
    "neither blurred nor focused": ShapeOptions(join="conc", stages="cpuc"),
    "infinite focus skipped": ShapeOptions(focus=FocusOptions(skip_infinite=True)),
    "filtered": ShapeOptions(join="ind", filter_during_focus=True, early_precondition=True, definite_names=True),
}


def _compared(setting: Setting, action: Action, options: ShapeOptions, batch: Sequence[Structure]) -> None:
    rules = all_rules(setting.vocabulary, setting.rules)
    python = steps("python", setting.vocabulary, rules, options, action, batch)
    assert steps("native", setting.vocabulary, rules, options, action, batch) == python
    assert steps("native", setting.vocabulary, rules, options, action, batch * 40, threads=3)[0] == (
        python[0] if isinstance(python[0], str) else python[0] * 40
    )


@settings(max_examples=60, deadline=None)
@given(DATA)
def test_steps(data: st.DataObject) -> None:
    """Random actions, on structures that some heap has; in batches, also divided among threads."""
    setting = data.draw(SETTINGS)
    options = OPTIONS[data.draw(st.sampled_from(sorted(OPTIONS)))]
    batch = [to_structure(data.draw(abstractions(setting))) for _ in range(data.draw(st.integers(1, 3)))]
    _compared(setting, data.draw(actions(setting)), options, batch)


@settings(max_examples=20, deadline=None)
@given(DATA)
def test_steps_on_any_structure(data: st.DataObject) -> None:
    """Structures of all sizes, most of them contradictory; those of 8 nodes outgrow their width."""
    setting = data.draw(SETTINGS)
    source = random.Random(data.draw(st.integers(0, 1 << 30)))
    size = data.draw(st.sampled_from((0, 3, 7, 8, 9)))
    batch = [random_structure(setting.vocabulary, size, source, maybe_active=data.draw(st.booleans()))]
    options = ShapeOptions(focus=FocusOptions(skip_infinite=True))
    _compared(setting, data.draw(actions(setting)), options, batch)


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


@pytest.mark.parametrize(
    ("setting", "size"), [(s, size) for s in ALL for size in (*SIZES, *WIDE)], ids=lambda value: repr(value)
)
def test_coerce_and_what_it_breaches(setting: Setting, size: int) -> None:
    """The same structure, or the same rule at the same nodes."""
    source = random.Random(size)
    rules = all_rules(setting.vocabulary, setting.rules)
    for maybe_active in (False, True):
        given = random_structure(setting.vocabulary, size, source, maybe_active=maybe_active)
        answers = []
        for machine in MACHINES:
            with on(machine):
                coercer = ShapeDomain(setting.vocabulary, rules, ShapeOptions()).coercer
                coerced = coercer.coerce(given)
                breach = coercer.explain(given)
                answers.append((None if coerced is None else seen([coerced]), breach and breach.describe(given)))
        assert answers[0] == answers[1]


@pytest.mark.parametrize("join", JOINS)
@settings(max_examples=20, deadline=None)
@given(DATA)
def test_stores(join: str, data: st.DataObject) -> None:
    setting = data.draw(SETTINGS)
    rules = all_rules(setting.vocabulary, setting.rules)
    batches = [
        [to_structure(data.draw(abstractions(setting))) for _ in range(data.draw(st.integers(1, 4)))] for _ in range(3)
    ]
    asked = to_structure(data.draw(abstractions(setting)))
    answers = []
    for machine in MACHINES:
        with on(machine):
            domain = ShapeDomain(setting.vocabulary, rules, ShapeOptions(join=join))
            store = domain.store()
            batches = [domain.initial(batch) for batch in batches]
            added = [store.add(batch) for batch in batches]
            current = [[store.current(s) for s in group] for group in added]
            taken = [seen(unite(store, added, only_current=only)) for only in (True, False)]
            kept = [
                s
                for group, flags in zip(added, current, strict=True)
                for s, is_kept in zip(group, flags, strict=True)
                if is_kept
            ]
            assert taken == [seen(kept), seen([s for group in added for s in group])]
            stored = store.elements()
            answers.append(
                (
                    [seen(group) for group in added],
                    current,
                    taken,
                    seen(stored),
                    len(store),
                    store.covers(asked),
                    [store.covers(s) for s in stored],
                )
            )
    assert answers[0] == answers[1]


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


@pytest.mark.parametrize("join", ["rel", "part", "ind"])
def test_threads_that_share_a_batch_store_the_same(join: str) -> None:
    """Structures that meet are in one shard, and a shard keeps the order of the batch."""
    setting = ALL[0]
    source = random.Random(3)
    batch = [
        random_structure(setting.vocabulary, source.randint(1, 3), source, maybe_active=False) for _ in range(2500)
    ]
    answers = []
    for threads in (1, 3):
        with on("native", threads):
            domain = ShapeDomain(setting.vocabulary, all_rules(setting.vocabulary, ()), ShapeOptions(join=join))
            results = domain.post(Edge("a", Action("nothing"), "b"), domain.initial(batch))
            assert len(results) > 1200, "batches of 512 are shared"
            store = domain.store()
            added = [store.add(results[:600]), store.add(results[600:]), store.add(results)]
            current = unite(store, added, only_current=True)
            answers.append(([seen(group) for group in (*added, current)], seen(store.elements()), len(store)))
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
