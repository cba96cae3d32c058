"""Every axiom about closures holds in all small structures: only then is 'unsatisfiable' a proof."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from kleene.logic.formula import Atom, Closure, Equal, conj, disj, exists, forall, neg, transitive_closure
from kleene.smt import Cell, FiniteModel, Sat, Universe, Unsat, check
from kleene.smt.closures import ClosureTable, Fields
from kleene.smt.expand import Expansion
from kleene.smt.finiteness import finiteness

KINDS = {
    "function": Fields(frozenset({"n"})),
    "invfunction": Fields(frozenset(), frozenset({"n"})),
    "both": Fields(frozenset({"n"}), frozenset({"n"})),
    "relation": Fields(),
}


def _partial_functions(size: int) -> list[frozenset[tuple[int, int]]]:
    found = []
    for targets in product(range(size + 1), repeat=size):
        found.append(frozenset((a, b) for a, b in enumerate(targets) if b < size))
    return found


def _relations(kind: str, size: int) -> list[frozenset[tuple[int, int]]]:
    if kind == "relation":
        pairs = list(product(range(size), repeat=2))
        return [frozenset(p for i, p in enumerate(pairs) if bits >> i & 1) for bits in range(1 << len(pairs))]
    functions = _partial_functions(size)
    if kind == "function":
        return functions
    inverse = [frozenset((b, a) for a, b in f) for f in functions]
    return inverse if kind == "invfunction" else [f for f in functions if len({b for _, b in f}) == len(f)]


def _paths(step: frozenset[tuple[int, int]]) -> frozenset[tuple[int, int]]:
    found = set(step)
    while more := {(a, d) for a, b in found for c, d in found if b == c} - found:
        found |= more
    return frozenset(found)


def _between(step: frozenset[tuple[int, int]], size: int) -> frozenset[tuple[int, int, int]]:
    """Walk from x along a function until z is met; all of the way lies between."""
    next_of = dict(step)
    found = set()
    for x, z in product(range(size), repeat=2):
        way = [x]
        while way[-1] != z and way[-1] in next_of and len(way) <= size:
            way.append(next_of[way[-1]])
        if way[-1] == z:
            found |= {(x, y, z) for y in way}
    return frozenset(found)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_axioms_hold(kind: str, size: int) -> None:
    table = ClosureTable(Expansion(Universe()), KINDS[kind])
    table.eliminate(transitive_closure("n", "a", "b"))
    axioms = [*table.universal, *table.existential, *table.between]
    assert table.between or kind == "relation"
    for step in _relations(kind, min(size, 3) if kind == "relation" else size):
        count = min(size, 3) if kind == "relation" else size
        reverse = frozenset((b, a) for a, b in step)
        relations = {"n": step, "tc0": _paths(step)}
        if kind in ("function", "both"):
            relations["tc0:to"] = _between(step, count)  # type: ignore[assignment]
        elif kind == "invfunction":
            relations["tc0:from"] = _between(reverse, count)  # type: ignore[assignment]
        model = FiniteModel(Universe(), (0,) * count, relations)
        for axiom in axioms:
            assert model.satisfies(axiom), f"{axiom} does not hold where n = {sorted(step)}"


@pytest.mark.parametrize("kind", ["function", "relation"])
def test_axioms_of_orders_along_paths_hold(kind: str) -> None:
    """For all fields and all transitive relations on three individuals; nothing is assumed to be in order."""
    table = ClosureTable(Expansion(Universe()), replace(KINDS[kind], transitive=frozenset({"le"})))
    table.eliminate(transitive_closure("n", "a", "b"))
    assert len(table.inductive) == 2
    orders = [r for r in _relations("relation", 3) if _paths(r) == r]
    steps = _relations(kind, 3) if kind == "function" else _relations(kind, 3)[::7]
    for step, order in product(steps, orders):
        model = FiniteModel(Universe(), (0, 0, 0), {"n": step, "tc0": _paths(step), "le": order})
        assert all(model.satisfies(axiom) for axiom in table.inductive), f"n = {sorted(step)}, le = {sorted(order)}"


def test_steps_that_are_formulas() -> None:
    """Paths downwards in a tree with two fields have the axioms of unshared fields, if that is known."""
    down = disj(Atom("l", ("a", "b")), Atom("r", ("a", "b")))
    paths = Closure("v", "w", "a", "b", down)
    known, unknown = (
        ClosureTable(Expansion(Universe()), Fields(unshared_steps=steps)) for steps in (frozenset({down}), frozenset())
    )
    for table in (known, unknown):
        table.eliminate(paths)
    assert len(known.universal) == len(unknown.universal) + 4
    for left, right in product(_relations("invfunction", 3), repeat=2):
        both = left | right
        if len({b for _, b in both}) == len(both):
            model = FiniteModel(Universe(), (0, 0, 0), {"l": left, "r": right, "tc0": _paths(both)})
            for axiom in [*known.universal, *known.existential]:
                assert model.satisfies(axiom), f"{axiom} does not hold where l = {sorted(left)}, r = {sorted(right)}"


def test_sorted_lists() -> None:
    """The first of a list that is in order step by step is not greater than any other: needs induction."""
    pytest.importorskip("z3")
    fields = Fields(frozenset({"n"}), transitive=frozenset({"le"}))
    step, order = Atom("n", ("a", "b")), Atom("le", ("a", "b"))
    transitive = forall("abc", disj(neg(order), neg(Atom("le", ("b", "c"))), Atom("le", ("a", "c"))))
    in_order = forall("ab", disj(neg(step), order))
    fails = exists("ab", conj(transitive_closure("n", "a", "b"), neg(order)))
    assert isinstance(check(conj(transitive, in_order, fails), fields=fields), Unsat)
    assert isinstance(check(conj(transitive, fails), fields=fields), Sat)


def test_two_cycles_do_not_meet() -> None:
    """Two elements of cycles that lead to one are equal."""
    pytest.importorskip("z3")
    around = [transitive_closure("n", v, v) for v in "ab"]
    meet = conj(*around, Atom("n", ("a", "c")), Atom("n", ("b", "c")), neg(Equal("a", "b")))
    assert isinstance(check(meet, fields=KINDS["function"]), Unsat)


def test_acyclic_fields_need_no_betweenness() -> None:
    table = ClosureTable(Expansion(Universe()), Fields(frozenset({"n"}), acyclic=frozenset({"n"})))
    table.eliminate(transitive_closure("n", "a", "b"))
    assert not table.between


@pytest.mark.parametrize("kind", ["function", "invfunction", "both", "transitive"])
def test_axioms_of_finite_sets_hold(kind: str) -> None:
    """On all relations of the kind over up to three individuals in two cells."""
    universe = Universe((Cell("one", optional=True), Cell("two", optional=True)))
    fields = Fields(transitive=frozenset({"n"})) if kind == "transitive" else KINDS[kind]
    axioms = finiteness(universe, fields, ["n"])
    assert axioms
    for size in range(4):
        for step in _relations("relation" if kind == "transitive" else kind, size):
            if kind == "transitive" and _paths(step) != step:
                continue
            for cells in product((0, 1), repeat=size):
                model = FiniteModel(universe, cells, {"n": step})
                assert all(model.satisfies(axiom) for axiom in axioms), f"n = {sorted(step)}, cells {cells}"


def test_only_infinite_models() -> None:
    """A one-to-one field without ends, and an element that nothing leads to: refuted by counting."""
    pytest.importorskip("z3")
    follows = forall("a", exists("b", Atom("n", ("a", "b"))))
    one_before = forall("abc", disj(neg(Atom("n", ("a", "c"))), neg(Atom("n", ("b", "c"))), Equal("a", "b")))
    first = exists("b", forall("a", neg(Atom("n", ("a", "b")))))
    assert isinstance(check(conj(follows, one_before, first), fields=KINDS["invfunction"]), Unsat)
