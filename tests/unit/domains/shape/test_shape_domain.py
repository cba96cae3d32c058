"""The shape domain and its message log, on a small program."""

from __future__ import annotations

import pytest

from kleene.cfa.graph import Edge
from kleene.diagnostics import InputError
from kleene.domains.shape.domain import ShapeDomain, ShapeOptions
from kleene.domains.shape.messages import MessageLog
from kleene.domains.shape.stores import JOINS
from kleene.engine.check import uncovered_elements
from kleene.engine.fixpoint import Schedule, solve
from kleene.structures.canonical import is_bounded
from kleene.structures.structure import Structure
from kleene.structures.tvs_reader import parse_tvs
from kleene.transformers.action import Action
from kleene.transformers.focus import FocusOptions
from kleene.transformers.rules import all_rules
from kleene.transformers.transformer import Outcome
from kleene.tvp.program import parse_program

PROGRAM = parse_program(
    """
    %p x(v) unique pointer
    %p y(v) unique pointer
    %p n(v1, v2) function
    %%
    %action walk() {
      %f { E(w) (x(w) & n(w, v)) }
      %message !(E(v) x(v)) -> "x is NULL"
      { x(v) = E(w) (x(w) & n(w, v)) }
    }
    %action both() { %message E(v) x(v) -> "first"  %message E(v) y(v) -> "second" { x(v) = x(v) } }
    %action focus_n() { %f { n(v1, v2) } { x(v) = x(v) } }
    %%
    a walk() a
    a both() b
    b focus_n() c
    """
)
LIST = "%n = {u, w} %p = { sm = {w: 1/2} x = {u} n = {u -> w: 1/2, w -> w: 1/2} }"


def structures(text: str = LIST) -> list[Structure]:
    return [item.structure for item in parse_tvs(text, PROGRAM.vocabulary).structures]


def domain(**options: object) -> ShapeDomain:
    rules = all_rules(PROGRAM.vocabulary, PROGRAM.rules)
    return ShapeDomain(PROGRAM.vocabulary, rules, ShapeOptions(**options))  # type: ignore[arg-type]


def edge(number: int) -> Edge[Action]:
    return PROGRAM.cfa.edges[number]


def test_input_is_coerced_and_blurred() -> None:
    shape = domain()
    contradictory = "%n = {u, w} %p = { x = {u, w} }"
    twins = "%n = {u, v, w} %p = { x = {u} }"
    (kept,) = shape.initial(structures(contradictory + twins))
    assert kept.size == 2
    assert is_bounded(kept)


def test_without_blur_nothing_is_merged() -> None:
    (kept,) = domain(join="conc").initial(structures("%n = {u, v, w} %p = { x = {u} }"))
    assert kept.size == 3


def test_post_gives_bounded_structures_and_counts_discarded_ones() -> None:
    shape = domain()
    results = shape.post(edge(0), shape.initial(structures()))
    assert len(results) == 3
    assert all(is_bounded(s) for s in results)
    assert shape.discarded == 0


def test_equal_actions_are_compiled_once() -> None:
    shape = domain()
    assert shape.transformer(edge(0).label) is shape.transformer(edge(0).label)


@pytest.mark.parametrize("join", [j for j in JOINS if j != "conc"])
def test_the_result_is_a_post_fixpoint(join: str) -> None:
    shape = domain(join=join, focus=FocusOptions(skip_infinite=True))
    reached = solve(PROGRAM.cfa, shape, structures(), Schedule())
    assert reached.complete
    assert uncovered_elements(PROGRAM.cfa, shape, structures(), reached) == []


def test_a_hole_in_a_result_is_found() -> None:
    shape = domain(focus=FocusOptions(skip_infinite=True))
    reached = solve(PROGRAM.cfa, shape, structures(), Schedule())
    reached.stores["b"].clear()
    problems = uncovered_elements(PROGRAM.cfa, shape, structures(), reached)
    assert problems
    assert problems[0].startswith("a -> b (")
    assert "not covered by the 0 structures there: Structure(" in problems[0]


def test_a_refused_focus_names_action_and_edge() -> None:
    summary = "%n = {u, w} %p = { sm = {u: 1/2, w: 1/2} y = {u: 1/2} n = {u -> w: 1/2} }"
    with pytest.raises(InputError, match=r"infinitely many structures \(action 'focus_n\(\)' on the edge b -> c\)"):
        domain().post(edge(2), structures(summary))


# Messages -------------------------------------------------------------------------------------------------------


def test_messages_are_collected_by_location_and_text() -> None:
    shape = domain()
    both = structures("%n = {u, w} %p = { x = {u} y = {w} }  %n = {u} %p = { x = {u} }")
    shape.post(edge(1), both)
    assert [(entry.location, entry.text, len(entry.structures)) for entry in shape.log] == [
        ("a", "first", 2),
        ("a", "second", 1),
    ]
    assert len(shape.log) == 3
    assert [entry.text for entry in shape.log.at("a")] == ["first", "second"]
    assert shape.log.at("b") == []


def test_the_same_message_on_an_equal_structure_counts_once() -> None:
    shape = domain()
    for _ in range(3):
        shape.post(edge(1), structures("%n = {u} %p = { x = {u} }"))
    assert len(shape.log) == 1


def test_a_message_is_definite_if_it_certainly_holds_on_one_structure() -> None:
    shape = domain()
    shape.post(edge(1), structures("%n = {u} %p = { x = {u: 1/2} }"))
    assert [entry.definite for entry in shape.log] == [False]
    shape.post(edge(1), structures("%n = {u} %p = { x = {u} }"))
    (entry,) = shape.log
    assert entry.definite
    assert entry.action is edge(1).label
    assert len(entry.structures) == 2


def test_messages_come_in_a_canonical_order() -> None:
    one, other = domain(), domain()
    x, y = structures("%n = {u} %p = { x = {u} } %n = {u} %p = { y = {u} }")
    for shape, order in ((one, [x, y]), (other, [y, x])):
        for s in order:
            shape.post(edge(1), [s])
    assert [e.text for e in one.log] == [e.text for e in other.log] == ["first", "second"]


def test_clear() -> None:
    log = MessageLog()
    log.add(edge(1), Outcome())
    assert len(log) == 0
    shape = domain()
    shape.post(edge(1), structures())
    assert len(shape.log) == 1
    shape.log.clear()
    assert (len(shape.log), list(shape.log)) == (0, [])


def test_frozen_structures_are_not_passed_on() -> None:
    s = structures("%n = {u} %p = { x = {u} }")
    assert len(domain().post(edge(1), s)) == 1
    assert domain(freeze=True).post(edge(1), s) == []
