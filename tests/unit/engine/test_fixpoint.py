"""The fixpoint iteration on toy domains: results, order, superseded elements, limits, listeners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from toy_domain import LargestStore, Numbers, Step, always, counter, nested, when

from kleene.cfa.graph import Cfa, Edge
from kleene.diagnostics import Limit, LimitReached
from kleene.engine.check import uncovered_elements
from kleene.engine.fixpoint import Reached, Schedule, solve
from kleene.engine.order import ORDERS, location_ranks

EVERY_ORDER = pytest.mark.parametrize("order", ORDERS)


def sets(reached: Reached[int]) -> dict[str, list[int]]:
    return {name: store.elements() for name, store in reached.stores.items()}


@EVERY_ORDER
def test_a_loop(order: str) -> None:
    reached = solve(counter(5), Numbers(), [0, 1], Schedule(order))
    assert reached.complete
    assert reached.reason is None
    assert sets(reached) == {
        "head": [0, 1, 2, 3, 4, 5, 6],
        "one": [0, 1, 2, 3, 4],
        "two": [1, 2, 3, 4, 5],
        "exit": [5, 6],
    }
    assert reached.generated == sum(map(len, reached.stores.values()))


@EVERY_ORDER
def test_the_result_does_not_depend_on_the_order_if_stores_keep_everything(order: str) -> None:
    assert sets(solve(nested(), Numbers(), [0, 7], Schedule(order))) == sets(
        solve(nested(), Numbers(), [7, 0], Schedule())
    )


@EVERY_ORDER
def test_the_result_is_a_post_fixpoint(order: str) -> None:
    for make in (Numbers, lambda: Numbers(LargestStore)):
        reached = solve(nested(), make(), [0, 7], Schedule(order))
        assert uncovered_elements(nested(), make(), [0, 7], reached) == []


def test_only_new_elements_are_propagated() -> None:
    domain = Numbers()
    solve(counter(5), domain, [0, 1], Schedule())
    seen = [(source, target, n) for source, target, batch in domain.asked for n in batch]
    assert len(seen) == len(set(seen))


def test_contradictory_input_is_left_out() -> None:
    reached = solve(counter(1), Numbers(), [-1, 0], Schedule())
    assert reached.stores["head"].elements() == [0, 2]


def test_no_input() -> None:
    reached = solve(counter(1), Numbers(), [], Schedule())
    assert reached.complete
    assert (reached.generated, reached.iterations) == (0, 0)


def test_unreachable_locations_have_empty_stores() -> None:
    cfa: Cfa[Step] = Cfa("a", (Edge("a", always(lambda n: n), "b"), Edge("x", always(lambda n: n), "b")))
    reached = solve(cfa, Numbers(), [1], Schedule())
    assert sets(reached) == {"a": [1], "b": [1], "x": []}


# Order ----------------------------------------------------------------------------------------------------------


def test_ranks() -> None:
    cfa = nested()
    assert location_ranks(cfa, "inner-first") == {"inner": 0, "outer": 1, "exit": 2}
    tvla, post = location_ranks(cfa, "tvla"), location_ranks(cfa, "tvla-post")
    assert tvla["outer"] == 0
    assert post["outer"] == 2
    assert {name: 2 - rank for name, rank in tvla.items()} == post
    with pytest.raises(ValueError, match="unknown order"):
        location_ranks(cfa, "random")


def test_inner_loops_are_finished_first() -> None:
    """While the inner loop has something to do, the outer one waits."""
    domain = Numbers()
    solve(nested(), domain, [0], Schedule("inner-first"))
    order = [source for source, target, _ in domain.asked if target != "exit"]
    first_return = order.index("outer", 1)
    assert set(order[1:first_return]) == {"inner"}
    assert order[1:first_return].count("inner") == 2 * 5


def test_a_location_takes_everything_that_waits_there() -> None:
    domain = Numbers()
    solve(counter(3), domain, [0, 1, 2], Schedule())
    assert domain.asked[0] == ("head", "one", (0, 1, 2))


# Superseded elements --------------------------------------------------------------------------------------------


def climb() -> Cfa[Step]:
    """Two ways to the same place, one larger than the other."""
    return Cfa(
        "a",
        (
            Edge("a", always(lambda n: n), "b"),
            Edge("a", always(lambda n: n + 1), "b"),
            Edge("b", always(lambda n: n), "c"),
        ),
    )


@pytest.mark.parametrize(("drop", "passed_on"), [(True, [(2,)]), (False, [(1, 2)])])
def test_superseded_elements_are_dropped_on_request(drop: bool, passed_on: list[tuple[int, ...]]) -> None:
    domain = Numbers(LargestStore)
    reached = solve(climb(), domain, [1], Schedule(drop_superseded=drop))
    assert [batch for source, _, batch in domain.asked if source == "b"] == passed_on
    assert sets(reached) == {"a": [1], "b": [2], "c": [2]}


def test_growing_elements_end_without_widening() -> None:
    """A store of finite height is enough: each growth is propagated, and nothing grows for ever."""
    cfa: Cfa[Step] = Cfa("a", (Edge("a", when(lambda n: n < 50, lambda n: n + 1), "a"),))
    domain = Numbers(LargestStore)
    reached = solve(cfa, domain, [0], Schedule())
    assert sets(reached) == {"a": [50]}
    assert reached.generated == 51


# Locations that do not keep -------------------------------------------------------------------------------------


def test_only_some_locations_keep_what_they_reached() -> None:
    reached = solve(counter(5), Numbers(), [0], Schedule(keep=frozenset({"head"})))
    assert sets(reached) == {"head": [0, 2, 4, 6], "one": [], "two": [], "exit": []}
    assert not reached.kept_everywhere
    assert reached.complete


# Limits ---------------------------------------------------------------------------------------------------------


def endless() -> Cfa[Step]:
    return Cfa("a", (Edge("a", always(lambda n: n + 1), "a"),))


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (LimitReached("too many", Limit.STRUCTURES), "too many"),
        (KeyboardInterrupt(), "interrupted"),
        (MemoryError(), "out of memory"),
    ],
)
def test_a_limit_leaves_a_partial_result(error: BaseException, reason: str) -> None:
    def check(reached: Reached[int]) -> None:
        if reached.generated >= 10:
            raise error

    reached = solve(endless(), Numbers(), [0], Schedule(), check_limits=check)
    assert not reached.complete
    assert reached.reason == reason
    assert sets(reached) == {"a": list(range(10))}


def test_an_interrupt_inside_post_leaves_a_partial_result() -> None:
    def step(n: int) -> list[int]:
        if n == 7:
            raise KeyboardInterrupt
        return [n + 1]

    reached = solve(Cfa("a", (Edge("a", step, "a"),)), Numbers(), [0], Schedule())
    assert (reached.complete, reached.reason) == (False, "interrupted")
    assert sets(reached) == {"a": list(range(8))}


def test_other_errors_are_not_swallowed() -> None:
    def step(n: int) -> list[int]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        solve(Cfa("a", (Edge("a", step, "b"),)), Numbers(), [0], Schedule())


# Listeners ------------------------------------------------------------------------------------------------------


class Notes:
    def __init__(self) -> None:
        self.locations: list[tuple[str, int]] = []
        self.edges: list[tuple[str, str, int, tuple[int, ...]]] = []

    def on_location(self, location: str, batch: int) -> None:
        self.locations.append((location, batch))

    def on_edge(self, edge: Edge[Any], source: Any, results: Sequence[Any]) -> None:
        self.edges.append((edge.source, edge.target, source, tuple(results)))


def test_listeners_hear_of_locations() -> None:
    first, second = Notes(), Notes()
    reached = solve(counter(1), Numbers(), [0, 1], Schedule(), listeners=[first, second])
    assert first.locations == second.locations
    assert len(first.locations) == reached.iterations
    assert first.locations[0] == ("head", 2)
    assert first.edges == []


def test_listeners_hear_of_each_step_when_tracing() -> None:
    notes = Notes()
    traced = solve(counter(1), Numbers(), [0, 1], Schedule(trace=True), listeners=[notes])
    assert ("head", "one", 0, (0,)) in notes.edges
    assert ("head", "one", 1, ()) in notes.edges
    assert ("two", "head", 1, (2,)) in notes.edges
    assert sets(traced) == sets(solve(counter(1), Numbers(), [0, 1], Schedule()))


# The independent check ------------------------------------------------------------------------------------------


def test_the_check_finds_a_planted_hole() -> None:
    domain = Numbers()
    reached = solve(counter(5), domain, [0], Schedule())
    assert uncovered_elements(counter(5), domain, [0], reached) == []
    del reached.stores["two"].known[3]  # type: ignore[attr-defined]
    (problem,) = uncovered_elements(counter(5), domain, [0], reached)
    assert problem.startswith("one -> two (")
    assert problem.endswith("3 is missing")


def test_the_check_finds_a_forgotten_input() -> None:
    reached = solve(counter(5), Numbers(), [0], Schedule())
    assert uncovered_elements(counter(5), Numbers(), [0, 40], reached) == ["head (input): 40 is missing"]


def test_the_check_finds_a_wrong_transformer() -> None:
    """An engine whose `post` forgets results does not pass the check with the right one."""

    class Forgetful(Numbers):
        def post(self, edge: Edge[Step], elements: Sequence[int]) -> list[int]:
            return [n for n in super().post(edge, elements) if n != 4]

    reached = solve(counter(9), Forgetful(), [0], Schedule())
    assert uncovered_elements(counter(9), Numbers(), [0], reached)


def test_the_check_stops_after_enough_problems() -> None:
    reached = solve(counter(99), Numbers(), [0], Schedule())
    for store in reached.stores.values():
        store.known = dict.fromkeys([n for n in store.elements() if n < 50])  # type: ignore[attr-defined]
    reached.stores["one"].clear()
    assert len(uncovered_elements(counter(99), Numbers(), [0], reached, at_most=4)) == 4


def test_a_partial_result_is_not_a_fixpoint() -> None:
    def check(reached: Reached[int]) -> None:
        if reached.generated >= 5:
            raise LimitReached("enough", Limit.STRUCTURES)

    reached = solve(counter(9), Numbers(), [0], Schedule(), check_limits=check)
    assert uncovered_elements(counter(9), Numbers(), [0], reached)
