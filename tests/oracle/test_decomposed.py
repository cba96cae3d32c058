"""Heaps taken apart, by enumeration: what an action does to a product covers what it does to each of its states.

All states of up to three nodes with two pointers, one cell and one fact; actions of every kind that a plan treats in
its own way. The check knows nothing of how structures are taken apart: it composes all parts of the result and
searches the state among them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import pytest
from tests.slices import EXAM

from kleene.cfa.graph import Edge
from kleene.diagnostics import LimitReached
from kleene.domains.decomposed.domain import DecomposedDomain
from kleene.domains.decomposed.locality import Locality, Plan, Refused
from kleene.domains.decomposed.parts import Parts
from kleene.domains.decomposed.products import Product, ProductStore
from kleene.domains.decomposed.relativize import OTHER, TOUCHED, Relativizer, lies_in
from kleene.domains.shape.domain import ShapeDomain, ShapeOptions
from kleene.domains.shape.stores import MergingStore
from kleene.logic.formula import Atom, Closure, Equal, Formula, disj
from kleene.logic.kleene import Kleene
from kleene.structures.embedding import embeds
from kleene.structures.evaluate import with_definitions
from kleene.structures.structure import Structure, StructureBuilder
from kleene.transformers.action import Action
from kleene.transformers.differencing import DifferencingOptions, derive
from kleene.transformers.rules import all_rules
from kleene.tvp.program import Program, parse_program

TEXT = """
%s PVar {x, y}
foreach (z in PVar) { %p z(v) unique pointer }
%p n(v1, v2) function
%p mark(v)
%p b()
%i is(v) = E(v1, v2) (v1 != v2 & n(v1, v) & n(v2, v))
%i t(v1, v2) = n*(v1, v2) transitive reflexive
foreach (z in PVar) { %i r[z](v) = E(v1) (z(v1) & t(v1, v)) }
%i nn() = E(v1, v2) (x(v1) & n(v1, v2))
%%
%action skip() { %t "skip" }
%action stop() { %t "never" %p 0 }
%action say() { %t "say" %message (1) -> "always" }
%action null() { %t "x = NULL" { x(v) = 0 } }
%action copy() { %t "x = y" %f { y(v) } { x(v) = y(v) } }
%action load() {
  %t "x = y->n"
  %f { E(v1) y(v1) & n(v1, v) }
  %message (!(E(v) y(v))) -> "null"
  { x(v) = E(v1) y(v1) & n(v1, v) }
}
%action cut() { %t "x->n = NULL" { n(v1, v2) = n(v1, v2) & !x(v1) } }
%action link() { %t "x->n = y" %p E(v) x(v) & !(E(w) n(v, w)) { n(v1, v2) = n(v1, v2) | x(v1) & y(v2) } }
%action new() { %t "x = new" %new { x(v) = isNew(v) mark(v) = mark(v) & !isNew(v) } }
%action test() { %t "x == NULL" %f { x(v) } %p !(E(v) x(v)) }
%action same() { %t "x == y" %f { x(v), y(v) } %p A(v) (x(v) <-> y(v)) }
%action lost() { %t "lost?" %p E(v) (!r[x](v) & !r[y](v)) %message (1) -> "lost" }
%action all() { %t "all marked" %p A(v) mark(v) }
%action some() { %t "some marked" %p E(v) mark(v) %message (E(v) mark(v)) -> "marked" }
%action other() { %t "some marked, another lost" %p E(v) mark(v) %message (E(v) (!r[x](v) & !r[y](v))) -> "lost" }
%action fact() { %t "some marked, b" %p E(v) mark(v) %message (b() & !(E(v) x(v))) -> "b, not x" }
%action mark() { %t "mark all" { mark(v) = 1 } }
%action flag() { %t "b = x != NULL" { b() = E(v) x(v) } }
%action when() { %t "if b: x = y" %p b() { x(v) = y(v) } }
%action any() { %t "x = anything" { x(v) = 1/2 } }
%action drop() { %t "drop" %retain (mark(v) | r[x](v) | r[y](v)) }
%%
"""
NAMES = [*("skip", "stop", "say", "null", "copy", "load", "cut", "link", "new", "test", "same", "lost", "all", "some")]
NAMES += ["other", "fact", "mark", "flag", "when", "any", "drop"]
FUNCTIONAL = [c for n in range(3) for c in product([None, *range(n)], repeat=n)] + [
    (None, 0, 1), (1, None, 1), (1, 2, 0), (None, None, None), (None, 0, 0), (0, None, 1), (2, 2, None),
]  # fmt: skip
"""The cells of the nodes: all of up to two nodes, some of three."""


def program() -> Program:
    edges = "\n".join(f"L {name}() M" for name in NAMES)
    return parse_program(f"{TEXT}{edges}\n")


PROGRAM = program()
RULES = all_rules(PROGRAM.vocabulary, PROGRAM.rules)
LOCALITY = Locality(PROGRAM.vocabulary, PROGRAM.rules)


def edge_of(name: str) -> Edge[Action]:
    edge = PROGRAM.cfa.edges[NAMES.index(name)]
    return Edge(edge.source, derive(edge.label, PROGRAM.vocabulary, DifferencingOptions()).action, edge.target)


EDGES = {name: edge_of(name) for name in NAMES}


def states() -> Iterator[Structure]:
    for cells in FUNCTIONAL:
        places = [None, *range(len(cells))]
        for x, y, b, marked in product(places, places, (False, True), (0, len(cells))):
            builder = StructureBuilder(PROGRAM.vocabulary, len(cells))
            for name, place in (("x", x), ("y", y)):
                if place is not None:
                    builder.set(name, (place,), Kleene.TRUE)
            for u, w in enumerate(cells):
                if w is not None:
                    builder.set("n", (u, w), Kleene.TRUE)
            for u in range(0, marked, 2):
                builder.set("mark", (u,), Kleene.TRUE)
            if b:
                builder.set("b", (), Kleene.TRUE)
            yield with_definitions(builder.build())


STATES = list(states())
FEW = 60
"""States that `make test` asks about; `make exam` takes all of them."""


def shape_domain() -> ShapeDomain:
    return ShapeDomain(PROGRAM.vocabulary, RULES, ShapeOptions(join="conc"))


def wholes(domain: DecomposedDomain, element: Product) -> Iterator[Structure]:
    """The structures that a product stands for, with up to three copies of each part without a root."""
    for chosen in product(*element.sets.values()):
        for copies in product(range(4), repeat=len(element.adrift)):
            adrift = [part for part, count in zip(element.adrift, copies, strict=True) for _ in range(count)]
            yield domain.parts.compose([*chosen, *adrift])


def covered(domain: DecomposedDomain, results: list[Product], state: Structure) -> bool:
    return any(embeds(state, whole) for result in results for whole in wholes(domain, result))


INNER, EXACT = shape_domain(), shape_domain()
"""They keep the compiled actions; a decomposed domain of its own has nothing to remember."""


def problems(name: str, given: list[Structure]) -> list[str]:
    """What the decomposed domain misses of the results and messages of an action on some states."""
    domain = DecomposedDomain(INNER, LOCALITY, "part")
    edge, exact, missed = EDGES[name], EXACT, []
    INNER.log.clear()
    EXACT.log.clear()
    try:
        results = domain.post(edge, [domain.taken_apart(given)])
    except LimitReached:  # an action on all parts, where some have no root: the analysis gives up
        assert LOCALITY.plan(edge.label).is_global
        return []
    for state in given:
        for after in exact.post(edge, [state]):
            if not covered(domain, results, after):
                missed.append(f"{name}: {state!r} leads to {after!r}")
    texts = {entry.text for entry in exact.log} - {entry.text for entry in domain.inner.log}
    return missed + [f"{name}: the message '{text}' is missing" for text in texts]


@pytest.mark.parametrize("name", NAMES)
def test_post_on_parts_covers_post_on_states(name: str) -> None:
    """Every state alone, and pairs of states, whose parts are combined."""
    choose = random.Random(name)
    for state in STATES if EXAM else choose.sample(STATES, FEW):
        assert not problems(name, [state])
    for _ in range(FEW if EXAM else FEW // 3):
        assert not problems(name, choose.sample(STATES, 2))


def test_taking_apart_and_composing_is_exact_on_states() -> None:
    domain = DecomposedDomain(shape_domain(), LOCALITY, "part")
    for state in STATES:
        element = domain.taken_apart([state])
        assert covered(domain, [element], state)
        if state.size <= 2 and not element.adrift:  # no two nodes have one name: nothing is blurred
            (whole,) = wholes(domain, element)
            assert whole.size == state.size and sorted(map(int.bit_count, whole.values)) == sorted(
                map(int.bit_count, state.values)
            )


def test_actions_touch_what_they_are_about() -> None:
    plans = {name: LOCALITY.plan(edge.label) for name, edge in EDGES.items()}
    touched = {name: plan.touched for name, plan in plans.items()}
    assert touched["copy"] == touched["link"] == {"x", "y"}
    assert touched["null"] == touched["cut"] == touched["test"] == {"x"}
    assert touched["when"] == {"b", "x", "y"}
    assert plans["lost"].in_some_part and plans["some"].in_some_part
    assert plans["lost"].said is plans["some"].said is None  # they are given by the part that allows the action
    assert plans["other"].said_elsewhere is not None
    assert plans["fact"].said is not None and plans["fact"].said_elsewhere is None
    assert plans["mark"].elsewhere is not None and plans["drop"].elsewhere is not None
    assert plans["all"].elsewhere is not None  # every part must allow it
    assert plans["any"].is_global  # the pointer may come to point anywhere


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("link", Plan(frozenset({"x"}))),
        ("copy", Plan(frozenset({"x"}))),
        ("flag", Plan(frozenset({"b"}))),
        ("when", Plan(frozenset({"x", "y"}))),
        ("mark", Plan(frozenset())),
        ("lost", Plan(frozenset({"x", "y"}))),
        ("any", Plan(frozenset({"x"}))),
    ],
)
def test_a_touched_class_that_is_taken_for_untouched_is_noticed(
    name: str, wrong: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The enumeration finds every one of these wrong plans."""
    monkeypatch.setattr(DecomposedDomain, "plan", lambda domain, edge: wrong)
    choose = random.Random(0)
    given = [choose.sample(STATES, count) for _ in range(2 * FEW) for count in (1, 2)]

    def is_noticed(given: list[Structure]) -> bool:
        try:
            return bool(problems(name, given))
        except Exception as error:  # an action changes what it does not touch
            return "does not touch" in str(error)

    assert any(map(is_noticed, given))


def test_an_action_that_touches_nothing_still_has_its_condition_and_its_messages() -> None:
    """An error edge with the condition 1 was passed over, so that a failing assertion was called proved."""
    domain = DecomposedDomain(shape_domain(), LOCALITY, "part")
    element = domain.taken_apart(STATES[:1])
    assert not domain.post(EDGES["stop"], [element])
    assert domain.post(EDGES["say"], [element])
    assert [entry.text for entry in domain.inner.log] == ["always"]


@pytest.mark.parametrize("name", ["other", "fact"])
def test_messages_about_another_part_than_the_condition_are_given(name: str) -> None:
    """An action whose condition holds in one part gave only messages about this part: others were 'verified'."""
    builder = StructureBuilder(PROGRAM.vocabulary, 2)
    builder.set("y", (0,), Kleene.TRUE)
    builder.set("mark", (0,), Kleene.TRUE)
    builder.set("b", (), Kleene.TRUE)
    state = with_definitions(builder.build())
    domain = DecomposedDomain(shape_domain(), LOCALITY, "part")
    element = domain.taken_apart([state])
    assert domain.post(EDGES[name], [element])
    assert [entry.text for entry in domain.inner.log] == [{"other": "lost", "fact": "b, not x"}[name]]
    unmarked = domain.taken_apart([with_definitions(StructureBuilder(PROGRAM.vocabulary, 2).build())])
    domain = DecomposedDomain(shape_domain(), LOCALITY, "part")
    assert not domain.post(EDGES[name], [unmarked])
    assert not domain.inner.log


@pytest.mark.parametrize(
    ("declaration", "reason"),
    [
        ("%i far(v) = !mark(v) & (E(w) mark(w))", "the definition of far is about several parts"),
        ("%i any() = E(v) mark(v)", "the definition of any is about several parts"),
        ("%i apart(v1, v2) = mark(v1) & mark(v2)", "the definition of apart is about several parts"),
        ("%r A(w) mark(w) ==> mark(v)", "the rule"),
        ("%r !b() ==> mark(v)", "the rule"),
        ("%p three(u, v, w)", "three has 3 arguments"),
    ],
)
def test_what_is_not_local_is_refused(declaration: str, reason: str) -> None:
    text = TEXT.replace("%%\n", f"{declaration}\n%%\n", 1)
    refused = parse_program(f"{text}L skip() M\n")
    with pytest.raises(Refused, match=reason):
        Locality(refused.vocabulary, refused.rules)


_BOUND = [
    Equal("a", "b"),
    Closure("a", "b", "c", "d", Equal("c", "d")),
    disj(Atom("p", ("a",)), Equal("a", "b")),
]


@pytest.mark.parametrize("formula", _BOUND, ids=str)
def test_a_formula_about_touched_nodes_does_not_lie_elsewhere(formula: Formula) -> None:
    """Equalities and paths have a part too: those of nodes that an action binds were taken to lie in any part."""
    reduced = Relativizer({}).reduce(formula, {"a": TOUCHED, "b": TOUCHED})
    assert lies_in(reduced, TOUCHED, frozenset())
    assert not lies_in(reduced, OTHER, frozenset())


def test_parts_that_were_added_before_are_not_joined_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A set that grows brings all its parts again; the result is that of stores that join each of them again."""
    domain = DecomposedDomain(INNER, LOCALITY, "part")
    elements = [domain.taken_apart(STATES[k : k + 2]) for k in range(0, len(STATES), 9)]
    asked: list[Structure] = []
    add = MergingStore.add

    def adding(store: MergingStore, given: Sequence[Structure]) -> list[Structure]:
        asked.extend(given)
        return add(store, given)

    monkeypatch.setattr(MergingStore, "add", adding)
    for order in (elements, elements[::-1]):
        store, other = domain.store(), domain.store()
        assert isinstance(store, ProductStore) and isinstance(other, ProductStore)
        store.add(order)
        for element in order:
            for seen in other._seen.values():
                seen.clear()
            other.add([element])
        (one,), (joined_again,) = store.elements(), other.elements()
        assert one.sets == joined_again.sets and one.adrift == joined_again.adrift
        asked.clear()
        again = [replace(e, sets={own: tuple(parts) for own, parts in e.sets.items()}, adrift=()) for e in order]
        assert store.add(again) == [] and asked == []


def test_a_part_that_is_cut_out_again_is_the_same_object() -> None:
    parts = DecomposedDomain(INNER, LOCALITY, "part").parts
    cut = 0
    for state in STATES[::11]:
        again = Structure(state.vocabulary, state.size, state.values)
        for own, nodes in parts.islands(state).nodes.items():
            part = parts.cut(state, nodes, own)
            assert parts.cut(again, nodes, own) is part
            assert Parts(parts.locality, parts.canonicalizer).cut(state, nodes, own) == part
            cut += 1
    assert cut > 20
