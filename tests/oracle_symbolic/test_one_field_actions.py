"""Best transformers over one functional field, by the decision procedure alone, against steps of all small stores.

Each structure comes with a graph that gives the store before and the store after; the naive step must lead from one to
the other. What small stores lead to must be there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle.actions import actions
from tests.oracle.concrete import is_valid, step
from tests.oracle.generate import Setting, _p, abstractions
from tests.oracle.naive import NaiveStructure, embeds, from_structure, isomorphic, to_structure
from tests.slices import EXAM, in_exam

from kleene.logic.earlier import old
from kleene.logic.formula import FALSE, And, Atom, Exists, Forall, Formula, IfThenElse, Not, Or
from kleene.structures.embedding import embeds as structure_embeds
from kleene.structures.structure import Structure, StructureBuilder
from kleene.symbolic import BestTransformer, Theory
from kleene.symbolic.assume import top
from kleene.symbolic.one_field.actions import Afterwards, problem_of_actions
from kleene.symbolic.one_field.decide import _all_stores, _largest_stores, _structures, decide_actions
from kleene.symbolic.one_field.graphs import Graph, store_after
from kleene.symbolic.one_field.growth import Budget, TooMany
from kleene.symbolic.one_field.reading import NotSupported
from kleene.transformers.action import Action, Update

from .enumeration import abstraction_of
from .test_one_field import BACK, FLAG, LASSO, LOOPS, NEXT, PATHS, R_X, RULED, TWO, _setting, stores
from .test_two_store import pair

PAIR = _setting("PAIR", _p("y", "v", "unique", "abs"), R_X)
"""Two pointers, one of which has reachability."""
MOST_PARTS = 400_000 if EXAM else 40_000
EXAMPLES = 60 if EXAM else 2


def pointer(name: str, variable: str) -> Formula:
    return Atom(name, (variable,))


def next_of(name: str) -> Formula:
    return Exists("w", And(pointer(name, "w"), Atom("n", ("w", "v"))))


def setting_of(name: str, target: Formula) -> Update:
    """``name->n = target``; the target has the free variable v2."""
    return Update("n", ("v1", "v2"), IfThenElse(pointer(name, "v1"), target, Atom("n", ("v1", "v2"))))


EXISTS_X = Exists("v", pointer("x", "v"))
COPY = Action("y = x", updates=(Update("y", ("v",), pointer("x", "v")),))
ADVANCE = Action("y = y->n", precondition=Exists("v", pointer("y", "v")), updates=(Update("y", ("v",), next_of("y")),))
CUT = Action("x->n = NULL", updates=(Update("n", ("v1", "v2"), And(Atom("n", ("v1", "v2")), Not(pointer("x", "v1")))),))
LINK = Action("x->n = y", precondition=EXISTS_X, updates=(setting_of("x", pointer("y", "v2")),))
ADD = Action(
    "x->n was NULL",
    updates=(Update("n", ("v1", "v2"), Or(Atom("n", ("v1", "v2")), And(pointer("x", "v1"), pointer("y", "v2")))),),
)
CUT_Y = Action(
    "y->n = NULL", updates=(Update("n", ("v1", "v2"), And(Atom("n", ("v1", "v2")), Not(pointer("y", "v1")))),)
)
SELF = Action("x->n = x", precondition=EXISTS_X, updates=(setting_of("x", pointer("x", "v2")),))
SKIP_NEXT = Action(
    "x->n = x->n->n",
    updates=(
        setting_of(
            "x", Exists("a", Exists("b", And(And(pointer("x", "a"), Atom("n", ("a", "b"))), Atom("n", ("b", "v2")))))
        ),
    ),
)
CREATE = Action("x = malloc()", creates=True, updates=(Update("x", ("v",), pointer("isNew", "v")),))
PREPEND = Action(
    "x = cons(x)",
    creates=True,
    updates=(
        Update("x", ("v",), pointer("isNew", "v")),
        Update("n", ("v1", "v2"), Or(Atom("n", ("v1", "v2")), And(pointer("isNew", "v1"), pointer("x", "v2")))),
    ),
)
CREATE_Y = Action(
    "y = malloc(), written out",
    creates=True,
    updates=(
        Update("y", ("v",), pointer("isNew", "v")),
        Update(
            "n",
            ("v1", "v2"),
            And(And(Atom("n", ("v1", "v2")), Not(pointer("isNew", "v1"))), Not(pointer("isNew", "v2"))),
        ),
    ),
)
LINK_BACK = Action(
    "y->n = x, in another way",
    precondition=Exists("v", pointer("y", "v")),
    updates=(
        Update(
            "n",
            ("v1", "v2"),
            And(
                Or(pointer("y", "v1"), Atom("n", ("v1", "v2"))),
                Or(Not(pointer("y", "v1")), pointer("x", "v2")),
            ),
        ),
    ),
)
FREE = Action("free(x)", retain=Not(pointer("x", "v")))
POP = Action("x = x->n, and x is freed", updates=(Update("x", ("v",), next_of("x")),), retain=Not(pointer("x", "v")))
FREE_SOME = Action("one is freed", precondition=pointer("r", "u"), retain=Not(pointer("x", "v")))
ALL_REACHED = Action("everything is reached", precondition=Forall("v", pointer("r", "v")))
BOTH_REACHED = Action("everything is reached", precondition=Forall("v", Or(pointer("r", "v"), pointer("ry", "v"))))
BLOCKS: Sequence[tuple[Setting, Sequence[Action]]] = (
    *((TWO, [BOTH_REACHED, a]) for a in (COPY, ADVANCE, ADD, FREE)),
    *((LASSO, [ALL_REACHED, a]) for a in (CUT, SELF, CREATE, FREE)),
    (LASSO, [ALL_REACHED, CUT, SELF]),
    (PAIR, [ALL_REACHED, CREATE_Y, LINK_BACK]),
    (RULED, [CREATE]),
    (FLAG, [CREATE]),
    (BACK, [CUT]),
    (LOOPS, [SELF]),
    (PATHS, [Action("x = NULL", updates=(Update("x", ("v",), FALSE),))]),
)
SLOW_BLOCKS: Sequence[tuple[Setting, Sequence[Action]]] = (
    *((TWO, [BOTH_REACHED, a]) for a in (CUT, LINK)),
    *((LASSO, [ALL_REACHED, a]) for a in (SKIP_NEXT, PREPEND, POP, FREE_SOME)),
    (LASSO, [ALL_REACHED, CUT, CREATE]),
    (LASSO, [ALL_REACHED, SKIP_NEXT, FREE]),
    (NEXT, [SELF]),
    (FLAG, [POP]),
)
RANDOM_BLOCKS = (*BLOCKS, (PAIR, [LINK, CUT_Y]), *(SLOW_BLOCKS if EXAM else ()))


class NotDecided(Exception):
    """The actions are not of the kind that the procedure decides, or have too many structures."""


def check(setting: Setting, sequence: Sequence[Action], structure: Structure) -> int:
    """Compare all structures, and the largest ones, with the steps of small stores; the number of the latter."""
    theory = Theory(setting.vocabulary, setting.rules)
    pairs: dict[Structure, Structure] = {}
    with suppress(NotSupported):
        problem, after = problem_of_actions(sequence, structure, theory)
        created = tuple(name for name in problem.hidden if name.startswith("created")) + tuple(
            p.name for p in problem.structure.vocabulary.declared if p.name.startswith("created")
        )
        before = Afterwards({}, problem.jumps, created)

        def read(graph: Graph) -> Structure:
            result = store_after(after, setting.vocabulary, graph)
            pairs[result] = store_after(before, setting.vocabulary, graph)
            return result

        reached = expected(setting, sequence, structure)
        answers = []
        for kind in (_all_stores, _largest_stores):
            with suppress(TooMany):
                found = _structures(problem, read, Budget(MOST_PARTS, partial(float, 60)), kind)
                answers.append(found)
                for example in found.values():
                    store = example()
                    assert store is not None
                    check_pair(setting, sequence, structure, pairs[store], store)
                missing = [a for a in reached if not any(structure_embeds(a, larger) for larger in found)]
                assert not missing, f"missing: {missing[0]}"
        if len(answers) == 2:
            assert reached <= answers[0].keys()
            assert all(any(structure_embeds(a, larger) for larger in answers[1]) for a in answers[0])
        if answers:
            return len(answers[-1])
    raise NotDecided


def check_pair(
    setting: Setting, sequence: Sequence[Action], structure: Structure, before: Structure, after: Structure
) -> None:
    """The naive step of the actions leads from one store to the other."""
    first, last = from_structure(before), from_structure(after)
    assert is_valid(first, setting.rules), f"{before} is not legal"
    assert embeds(first, from_structure(structure)), f"{before} is not in the input"
    assert any(isomorphic(last, c) for c in steps(setting, [first], sequence)), f"{before} does not lead to {after}"


def steps(setting: Setting, current: list[NaiveStructure], sequence: Sequence[Action]) -> list[NaiveStructure]:
    for action in sequence:
        results = [one.after for c in current for one in step(c, action)]
        current = [c for c in results if is_valid(c, setting.rules)]
    return current


def expected(setting: Setting, sequence: Sequence[Action], structure: Structure) -> set[Structure]:
    naive = from_structure(structure)
    given_stores = [c for c in stores(setting) if embeds(c, naive)]
    return {abstraction_of(c) for c in steps(setting, given_stores, sequence)}


def name_of(value: Setting | Sequence[Action]) -> str:
    return value.name if isinstance(value, Setting) else ", ".join(map(str, value))


@pytest.mark.parametrize(("setting", "sequence"), BLOCKS, ids=name_of)
def test_actions_on_all_stores(setting: Setting, sequence: Sequence[Action]) -> None:
    assert check(setting, sequence, top(Theory(setting.vocabulary, setting.rules)))


@in_exam
@pytest.mark.parametrize(("setting", "sequence"), SLOW_BLOCKS, ids=name_of)
def test_other_actions_on_all_stores(setting: Setting, sequence: Sequence[Action]) -> None:
    assert check(setting, sequence, top(Theory(setting.vocabulary, setting.rules)))


@settings(max_examples=EXAMPLES)
@given(st.data())
def test_actions_on_random_structures(data: st.DataObject) -> None:
    setting, sequence = data.draw(st.sampled_from(RANDOM_BLOCKS))
    with suppress(NotDecided):
        check(setting, sequence, to_structure(data.draw(abstractions(setting))))


@settings(max_examples=EXAMPLES)
@given(st.data())
def test_random_actions(data: st.DataObject) -> None:
    setting = data.draw(st.sampled_from((LASSO, NEXT, FLAG, LOOPS)))
    sequence = [data.draw(actions(setting, universe=("keep", "keep", "new", "retain")))]
    with suppress(NotDecided):
        check(setting, sequence, to_structure(data.draw(abstractions(setting))))


def test_the_operation_uses_it() -> None:
    """x->n = y on lists and lassos was undecided after two minutes."""
    best = BestTransformer([BOTH_REACHED, LINK], Theory(TWO.vocabulary, TWO.rules))
    result = best.run([top(best.theory)])
    assert result.most_precise
    assert result.solver_calls == 0
    assert len(result.structures) > 30


def test_not_decided_here() -> None:
    """Copies, changes of many fields, and closures that are predicates and change are left to the provers."""
    theory = Theory(PATHS.vocabulary)
    everything = Action("all fields", updates=(Update("n", ("v1", "v2"), FALSE),))
    clone = Action("clone", clone=pointer("x", "v"))
    for action in (CUT, everything, clone, CREATE):
        assert decide_actions([action], top(theory), theory, partial(float, 60)) is None


def check_two_stores(setting: Setting, sequence: Sequence[Action], structure: Structure) -> None:
    """Every pair of small stores is there, as one structure, and each structure comes with such a pair."""
    theory = Theory(setting.vocabulary, setting.rules)
    found = decide_actions(sequence, structure, theory, partial(float, 60), two_store=True, minimal=True)
    if found is None:
        raise NotDecided
    naive = from_structure(structure)
    for before in stores(setting):
        if embeds(before, naive):
            for after in steps(setting, [before], sequence):
                both = to_structure(pair(before, after))
                assert any(structure_embeds(both, larger) for larger in found.structures), f"missing: {both}"
    for abstract, example in found.structures.items():
        store = example()
        assert store is not None
        assert structure_embeds(store, abstract)
        before, after = store_at(store, theory, old), store_at(store, theory, str)
        if not any(action.creates for action in sequence):
            check_pair(setting, sequence, structure, before, after)


def store_at(store: Structure, theory: Theory, name_at: Callable[[str], str]) -> Structure:
    """One of the two stores of a structure over both vocabularies."""
    builder = StructureBuilder(theory.vocabulary, store.size)
    for p in theory.vocabulary.declared:
        for nodes, value in store.entries(name_at(p.name)):
            builder.set(p.name, nodes, value)
    return builder.build()


@pytest.mark.parametrize(
    ("setting", "sequence"),
    [(LASSO, [ALL_REACHED, SELF]), (LASSO, [ALL_REACHED, CREATE]), (TWO, [BOTH_REACHED, ADVANCE]), (BACK, [CUT])],
    ids=name_of,
)
def test_two_stores(setting: Setting, sequence: Sequence[Action]) -> None:
    check_two_stores(setting, sequence, top(Theory(setting.vocabulary, setting.rules)))


@settings(max_examples=EXAMPLES)
@given(st.data())
def test_two_stores_of_random_structures(data: st.DataObject) -> None:
    setting, sequence = data.draw(st.sampled_from([(s, b) for s, b in RANDOM_BLOCKS if b[-1].retain is None]))
    with suppress(NotDecided):
        check_two_stores(setting, sequence, to_structure(data.draw(abstractions(setting))))
