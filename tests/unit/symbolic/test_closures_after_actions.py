"""Closures after an action by closures before it, against closures computed on all small stores."""

from __future__ import annotations

from itertools import product

import pytest

from kleene.logic.formula import Atom, Closure, Formula, IfThenElse, conj, disj, neg
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.smt.finite_model import FiniteModel
from kleene.smt.universe import Cell, Universe
from kleene.symbolic.timeline.closure_updates import ClosureUpdates, changes
from kleene.transformers.action import Update

N, X, Y = Atom("n", ("a", "b")), Atom("x", ("a",)), Atom("y", ("b",))
UNIQUE = frozenset({"unique"})
UPDATES = {
    "set": IfThenElse(X, Y, N),
    "cut": conj(N, neg(X)),
    "link": disj(N, conj(X, Y)),
    "cut one": conj(N, neg(conj(X, Y))),
}


def vocabulary(*properties: str) -> Vocabulary:
    return Vocabulary().extend(
        [
            Predicate("x", 1, ("v",), UNIQUE),
            Predicate("y", 1, ("v",), UNIQUE),
            Predicate("n", 2, ("v", "w"), frozenset(properties)),
        ]
    )


def stores(size: int, *, function: bool, inverse: bool) -> list[dict[str, frozenset[tuple[int, ...]]]]:
    nodes = range(size)
    found = []
    for chosen in product((False, True), repeat=size * size):
        n = frozenset(pair for pair, there in zip(product(nodes, nodes), chosen, strict=True) if there)
        if function and len({a for a, _ in n}) < len(n):
            continue
        if inverse and len({b for _, b in n}) < len(n):
            continue
        found += [{"n": n, "x": frozenset({(0,)}), "y": frozenset({(y,)})} for y in nodes]
        found += [
            {"n": n, "x": frozenset(), "y": frozenset({(0,)})},
            {"n": n, "x": frozenset({(0,)}), "y": frozenset()},
        ]
    return found


def path(symbol: str) -> Formula:
    return Closure("s", "t", "u", "w", Atom(symbol, ("u", "w")))


@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("kind", ["function", "invfunction"])
def test_rewritten_closures_are_closures(kind: str, update: str) -> None:
    """Wherever the conditions hold, the formula over the old field says what the closure of the new field is."""
    words = vocabulary(kind)
    (change,) = changes([Update("n", ("a", "b"), UPDATES[update])], words, set())
    rewriting = ClosureUpdates()
    rewriting.add(change, "n", "n2", "x")
    rewritten = rewriting.apply(path("n2"))
    assert rewritten is not path("n2")
    universe = Universe((Cell("node"),))
    permitted = 0
    for size in (1, 2, 3):
        for store in stores(size, function=kind == "function", inverse=kind == "invfunction"):
            before = FiniteModel(universe, (0,) * size, store)
            pairs = list(product(range(size), repeat=2))
            new = frozenset((a, b) for a, b in pairs if before.satisfies(UPDATES[update], {"a": a, "b": b}))
            model = FiniteModel(universe, (0,) * size, {**store, "n2": new})
            if any(model.satisfies(condition) for condition in change.conditions(words)):
                continue
            permitted += 1
            for s, t in pairs:
                ends = {"s": s, "t": t}
                assert model.satisfies(rewritten, ends) == model.satisfies(path("n2"), ends), (store, s, t)
    assert permitted > 100


def test_paths_without_the_object_that_disappears() -> None:
    """The closure over the objects that are left, by the closure over all of them; x is object 0."""
    universe = Universe((Cell("x"), Cell("others")), {"all": (0, 1), "left": (1,)})
    rewriting = ClosureUpdates()
    rewriting.remove("left", "all", "x", frozenset({"n"}))
    later = Closure("s", "t", "u@left", "w@left", Atom("n", ("u@left", "w@left")))
    rewritten = rewriting.apply(later)
    assert rewritten is not later
    around = Closure("s", "s", "u@all", "w@all", Atom("n", ("u@all", "w@all")))
    permitted = 0
    for size in (2, 3, 4):
        for store in stores(size, function=True, inverse=False):
            model = FiniteModel(universe, (0, *(1,) * (size - 1)), {**store, "x": frozenset({(0,)})})
            if model.satisfies(around, {"s": 0}):
                continue
            permitted += 1
            for s, t in product(range(1, size), repeat=2):
                ends = {"s": s, "t": t}
                assert model.satisfies(rewritten, ends) == model.satisfies(later, ends), (store, s, t)
    assert permitted > 100
