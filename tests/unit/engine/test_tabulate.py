"""Procedures by contexts, on numbers: a label is a function of numbers, or a call."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

import pytest

from kleene.cfa.graph import Cfa, Edge
from kleene.diagnostics import Limit, LimitReached
from kleene.engine.check import uncovered_by_calls
from kleene.engine.fixpoint import Reached, Schedule, solve
from kleene.engine.tabulate import Procedure, tabulate


@dataclass(frozen=True)
class CallOf:
    """Calls a procedure with the number modulo `base`; afterwards the result is added to what was not given."""

    name: str
    base: int


Label = Callable[[int], list[int]] | CallOf


class NumberStore:
    def __init__(self) -> None:
        self.known: set[int] = set()

    def add(self, elements: Sequence[int]) -> list[int]:
        new = [e for e in dict.fromkeys(elements) if e not in self.known]
        self.known.update(new)
        return new

    def covers(self, element: int) -> bool:
        return element in self.known

    def current(self, element: int) -> bool:
        return True

    def elements(self) -> list[int]:
        return sorted(self.known)

    def clear(self) -> None:
        self.known.clear()

    def __len__(self) -> int:
        return len(self.known)


class Numbers:
    name = "numbers"

    def __init__(self, *, one_context: bool = False) -> None:
        self.one_context = one_context
        self.posts = 0

    def initial(self, elements: Sequence[int]) -> Sequence[int]:
        return list(elements)

    def store(self) -> NumberStore:
        return NumberStore()

    def post(self, edge: Edge[Label], elements: Sequence[int]) -> list[int]:
        assert not isinstance(edge.label, CallOf)
        self.posts += len(elements)
        return [result for element in elements for result in edge.label(element)]

    def explain_not_covered(self, element: int, store: object) -> str:
        return str(element)

    def callee(self, label: Label) -> str | None:
        return label.name if isinstance(label, CallOf) else None

    def enter(self, edge: Edge[Label], elements: Sequence[int]) -> list[list[int]]:
        assert isinstance(edge.label, CallOf)
        return [[element % edge.label.base] for element in elements]

    def context(self, element: int) -> Hashable:
        return None if self.one_context else element

    def resume(self, edge: Edge[Label], caller: int, entry: int, exits: Sequence[int]) -> list[int]:
        assert isinstance(edge.label, CallOf)
        return [caller - caller % edge.label.base + e for e in exits]


def when(condition: Callable[[int], bool], change: Callable[[int], int]) -> Label:
    return lambda n: [change(n)] if condition(n) else []


def countdown() -> dict[str, Procedure[Label]]:
    """down(n): n == 0 gives 0, else down(n - 1) + 1: the identity, by recursion."""
    edges = (
        Edge("in", when(lambda n: n == 0, lambda n: 0), "out"),
        Edge("in", when(lambda n: n > 0, lambda n: n - 1), "call"),
        Edge("call", CallOf("down", 100), "back"),
        Edge("back", when(lambda n: True, lambda n: n + 1), "out"),
    )
    return {"down": Procedure(Cfa("in", edges), "out")}


MAIN: Cfa[Label] = Cfa("start", (Edge("start", CallOf("down", 10), "end"),))


def test_a_recursive_procedure_gives_each_caller_its_own_result() -> None:
    reached = tabulate(MAIN, countdown(), Numbers(), [34, 70, 52], Schedule())
    assert reached.complete
    assert reached.stores["end"].elements() == [34, 52, 70]
    assert reached.stores["in"].elements() == [0, 1, 2, 3, 4]
    assert reached.stores["out"].elements() == [0, 1, 2, 3, 4]
    assert set(reached.stores) == {"start", "end", "in", "call", "back", "out"}
    assert len(reached.stores) == 6 and "nowhere" not in reached.stores


def test_a_context_is_analysed_once() -> None:
    domain = Numbers()
    tabulate(MAIN, countdown(), domain, [34, 44, 54, 3], Schedule())
    assert domain.posts == 2 * 5 + 4  # two tests for each of 0 .. 4, and one step after each nested call


def test_entries_in_one_context_share_their_results() -> None:
    edges = (Edge("in", lambda n: [n + 5], "out"),)
    shared = {"down": Procedure(Cfa("in", edges), "out")}
    apart = tabulate(MAIN, shared, Numbers(), [31, 52], Schedule())
    together = tabulate(MAIN, shared, Numbers(one_context=True), [31, 52], Schedule())
    assert apart.stores["end"].elements() == [36, 57]
    assert together.stores["end"].elements() == [36, 37, 56, 57]


def test_what_never_returns_leads_nowhere() -> None:
    edges = (Edge("in", CallOf("down", 100), "out"),)
    reached = tabulate(MAIN, {"down": Procedure(Cfa("in", edges), "out")}, Numbers(), [7], Schedule())
    assert reached.complete and "end" not in reached.stores


def test_what_is_asked_in_between_does_not_get_old() -> None:
    asked: list[int] = []

    def look(reached: Reached[int]) -> None:
        known = {e for a in reached.activations if "in" in a.stores for e in a.stores["in"].elements()}  # type: ignore
        if known:
            assert reached.stores["in"].elements() == sorted(known)
            asked.append(len(known))

    tabulate(MAIN, countdown(), Numbers(), [34, 70, 52], Schedule(), check_limits=look)
    assert len(set(asked)) > 2


def test_limits_leave_a_partial_result() -> None:
    def limit(reached: Reached[int]) -> None:
        if reached.generated > 3:
            raise LimitReached("enough", Limit.STRUCTURES)

    reached = tabulate(MAIN, countdown(), Numbers(), [9], Schedule(), check_limits=limit)
    assert not reached.complete and reached.reason == "enough" and "start" in reached.stores


def test_a_result_is_closed_under_steps_and_calls() -> None:
    domain = Numbers()
    reached = tabulate(MAIN, countdown(), domain, [34, 70, 52], Schedule())
    assert not uncovered_by_calls(domain, [34, 70, 52], reached)
    assert uncovered_by_calls(domain, [34, 70, 52, 3], reached) == ["start (input): 3"]


@pytest.mark.parametrize("location", ["start", "end", "in", "call", "back", "out"])
def test_whatever_is_missing_is_noticed(location: str) -> None:
    """Each element that any activation has anywhere is needed by a step, by a call, by its entry or by its end."""
    domain = Numbers()
    reached = tabulate(MAIN, countdown(), domain, [34, 70, 52], Schedule())
    stores = [a.stores[location] for a in reached.activations if location in a.stores]
    for store in stores:
        for element in store.elements():
            kept = [e for e in store.elements() if e != element]
            store.clear()
            store.add(kept)
            assert uncovered_by_calls(domain, [34, 70, 52], reached), (location, element)
            store.add([element])
    assert not uncovered_by_calls(domain, [34, 70, 52], reached)


def test_an_activation_that_is_missing_is_noticed() -> None:
    domain = Numbers()
    reached = tabulate(MAIN, countdown(), domain, [34], Schedule())
    for number in range(1, len(reached.activations)):
        fewer = replace(reached, activations=reached.activations[:number] + reached.activations[number + 1 :])
        assert any("no activation covers this call" in p for p in uncovered_by_calls(domain, [34], fewer))


class Advancing(Numbers):
    """Does some of the edges of a location at once; stops at calls, and now and then elsewhere."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.chooser = random.Random(seed)
        self.done = self.left = 0

    def advance(
        self, edges: Sequence[Edge[Label]], first: int, batch: Sequence[int], stores: Sequence[NumberStore]
    ) -> list[Sequence[int] | None]:
        found: list[Sequence[int] | None] = []
        for edge, store in list(zip(edges, stores, strict=True))[first:]:
            if isinstance(edge.label, CallOf) or self.chooser.random() < 0.3:
                self.left += 1
                break
            self.done += 1
            found.append(store.add([n for element in batch for n in edge.label(element)]) or None)
        return found


@pytest.mark.parametrize("seed", range(5))
def test_edges_that_are_done_at_once_lead_to_the_same(seed: int) -> None:
    """A location with several edges; what the domain leaves is done by `post`, in the same order."""
    more = (Edge("end", when(lambda n: n < 80, lambda n: n + 7), "start"), Edge("end", lambda n: [n, -n], "last"))
    main: Cfa[Label] = Cfa("start", (*MAIN.edges, *more))
    domain = Advancing(seed)
    wanted = tabulate(main, countdown(), Numbers(), [34, 70, 52], Schedule())
    found = tabulate(main, countdown(), domain, [34, 70, 52], Schedule())
    assert {n: s.elements() for n, s in found.stores.items()} == {n: s.elements() for n, s in wanted.stores.items()}
    assert list(found.stores) == list(wanted.stores)
    assert (found.generated, found.iterations) == (wanted.generated, wanted.iterations)
    assert domain.done and domain.left and 0 < domain.posts < wanted.generated
    flat: Cfa[Label] = Cfa("end", (*more, Edge("start", lambda n: [n, n + 1], "end")))
    one, other = (solve(flat, d, [3, 50], Schedule()) for d in (Numbers(), Advancing(seed)))
    assert {n: s.elements() for n, s in one.stores.items()} == {n: s.elements() for n, s in other.stores.items()}
    assert (one.generated, one.iterations) == (other.generated, other.iterations)
