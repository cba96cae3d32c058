"""The native machine and the Python machine give the same: programs, rules, steps and stores on random input."""

from __future__ import annotations

import itertools
import os
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
from kleene.logic.formula import And, Atom, Exists, Forall, Formula, Not, Or, conj, neg
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.report.run.json import structure_json
from kleene.structures.evaluate import evaluate, rails
from kleene.structures.machine import native_is_built
from kleene.structures.program.python_machine import MOST_AXES
from kleene.structures.structure import AC, INSTANCE, INSTANCE_MAY, IS_NEW, IS_NEW_MAY, Structure
from kleene.structures.tvs_writer import structure_tvs
from kleene.transformers.action import Action, Update
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


def _everywhere(structure: Structure, predicate: str) -> Structure:
    """The structure with a unary predicate that is 1 at all nodes, and without traces of new nodes."""
    values = list(structure.values)
    for trace in (IS_NEW, IS_NEW_MAY, INSTANCE, INSTANCE_MAY):
        values[trace] = 0
    rail = 2 * structure.vocabulary.index(predicate)
    values[rail] = values[rail + 1] = (1 << structure.size) - 1
    return Structure(structure.vocabulary, structure.size, tuple(values))


@settings(max_examples=40, deadline=None)
@given(DATA)
def test_actions_that_change_little(data: st.DataObject) -> None:
    """Predicates that keep their values, updates without much of a change, nodes that stay."""
    setting = data.draw(SETTINGS)
    source = random.Random(data.draw(st.integers(0, 1 << 30)))
    declared = setting.vocabulary.declared
    kept = tuple(Update(p.name, p.args, Atom(p.name, p.args)) for p in declared)
    p, q = (data.draw(st.sampled_from([p for p in declared if p.arity == 1])) for _ in range(2))
    here, there = Atom(p.name, p.args), Atom(q.name, p.args)
    fewer, more = (Update(p.name, p.args, f) for f in (And(here, there), Or(here, there)))
    action = Action(
        "little",
        updates=data.draw(st.sampled_from(((), kept, (fewer,), (more,), (*kept[:1], fewer)))),
        retain=data.draw(st.sampled_from((None, here, Not(there)))),
    )
    size = data.draw(st.sampled_from((0, 3, 8, 9)))
    batch = [to_structure(data.draw(abstractions(setting)))]
    batch += [random_structure(setting.vocabulary, size, source, maybe_active=maybe) for maybe in (False, True)]
    batch += [_everywhere(structure, p.name) for structure in batch]
    for options in (data.draw(st.sampled_from(list(OPTIONS.values()))), ShapeOptions(join="conc")):  # not blurred
        _compared(setting, action, options, batch)


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


def _stored_by(join: str, threads: int) -> object:
    """What a store of the native machine adds, gives back as current, and keeps, from batches that threads share."""
    setting = ALL[0]
    source = random.Random(3)
    batch = [
        random_structure(setting.vocabulary, source.randint(1, 3), source, maybe_active=False) for _ in range(2500)
    ]
    with on("native", threads):
        domain = ShapeDomain(setting.vocabulary, all_rules(setting.vocabulary, ()), ShapeOptions(join=join))
        results = domain.post(Edge("a", Action("nothing"), "b"), domain.initial(batch))
        assert len(results) > 1200, "batches of 128 are shared"
        store = domain.store()
        added = [store.add(results[:600]), store.add(results[600:]), store.add(results)]
        current = unite(store, added, only_current=True)
        return [seen(group) for group in (*added, current)], seen(store.elements()), len(store)


@pytest.mark.parametrize("join", ["rel", "part", "pointed", "ind"])
def test_threads_that_share_a_batch_store_the_same(join: str) -> None:
    """Structures that meet are in one shard, and a shard keeps the order of the batch."""
    assert _stored_by(join, 1) == _stored_by(join, 3)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_has_threads_of_its_own() -> None:
    """Threads wait for the next batch in this process; in the other one they do not exist."""
    expected = _stored_by("part", 3)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if _stored_by("part", 3) == expected else 1
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_precondition_of_many_variables() -> None:
    """More variables than the parameters of a native program: the Python machine takes the action."""
    from kleene import _native

    setting = ALL[0]
    free = [f"v{k}" for k in range(_native.MOST_PARAMETERS + 1)]
    action = Action("many", precondition=conj(*[Atom("x", (v,)) for v in free]))
    batch = [random_structure(setting.vocabulary, 2, random.Random(1), maybe_active=False)]
    python, native = (
        steps(machine, setting.vocabulary, (), ShapeOptions(stages="pu", join="conc"), action, batch)
        for machine in MACHINES
    )
    assert native == python


def test_vocabularies_that_the_native_machine_does_not_take() -> None:
    from kleene import _native
    from kleene.structures.program.native_machine import signature_of

    many = [Predicate(f"p{k}", 1, ("v",)) for k in range(_native.MOST_PREDICATES)]
    assert signature_of(Vocabulary(tuple(many))) is None
    assert signature_of(Vocabulary((Predicate("q", 4, ("a", "b", "c", "d")),))) is None


def test_a_value_over_many_variables_is_refused() -> None:
    """Its bits would be more than a machine has."""
    from kleene.structures.program.native_machine import native_rails

    structure = random_structure(ALL[0].vocabulary, 2, random.Random(1), maybe_active=False)
    formula = neg(conj(*[Atom("x", (f"v{k}",)) for k in range(MOST_AXES + 1)]))
    for compute in (rails, native_rails):
        with pytest.raises(LimitReached, match="9 variables at once"):
            compute(structure, formula, formula.free)
