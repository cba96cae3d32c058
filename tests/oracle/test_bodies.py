"""Bodies that are said to keep their contracts, run on all small heaps by an interpreter that is written here.

The bodies are those of the examples with one or two edges changed at random: some of them are still right, most are
not. Each contract is written here once more, in Python. A body that breaks its contract on some heap must not be
verified.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import pytest

from kleene.analysis.tvp.procedures import verify_contracts
from kleene.symbolic.contracts.reader import parse_contracts, read_contracts
from kleene.symbolic.contracts.specifications import BodyEdge, Contracts, Procedure
from kleene.tvp.program import load_program

FOLDER = Path(__file__).parents[2] / "examples" / "contracts"
LIST = load_program(FOLDER / "list.tvp")
REVERSE = """
procedure reverse(p)
  %s Pointers {p, y, t}
  modifies n, p
  requires (A(v) (from[p](v) -> !shared(v))) & (A(v, w) (n(v, w) & from[p](w) -> from[p](v)))
  ensures  (A(v) (from[p](v) <-> old[from[p]](v))) & (A(v) (!old[from[p]](v) -> same[n](v)))
  body
    start not_null(p) n1   n1 next(t, p) n2   n2 clear(p) n3   n3 link(p, y) n4
    n4 copy(y, p) n5       n5 copy(p, t) n6   n6 null(t) start
    start is_null(p) done  done copy(p, y) exit
"""
PROCEDURES = {
    **read_contracts(FOLDER / "sort.contracts").procedures,
    **read_contracts(FOLDER / "heap.contracts").procedures,
    **parse_contracts(REVERSE).procedures,
}
ONE = ("null", "is_null", "not_null", "clear", "free", "new")
TWO = ("copy", "next", "link")


class GoesWrongError(Exception):
    """A message of an action."""


@dataclass(frozen=True)
class Heap:
    there: frozenset[int]
    variables: dict[str, int | None]
    n: dict[int, int]

    def reach(self, name: str) -> set[int]:
        found: set[int] = set()
        at = self.variables[name]
        while at is not None and at not in found:
            found.add(at)
            at = self.n.get(at)
        return found

    def cyclic(self) -> bool:
        return any(v in Heap(self.there, {"s": self.n.get(v)}, self.n).reach("s") for v in self.there)

    def shared(self, cells: set[int]) -> bool:
        return any(list(self.n.values()).count(v) > 1 for v in cells)

    def closed(self, cells: set[int]) -> bool:
        return all(v in cells for v, w in self.n.items() if w in cells)


def step(edge: BodyEdge, heap: Heap) -> Heap | None:
    """What an edge leads to; None if its condition does not hold."""
    a, *rest = edge.arguments or ("",)
    variables, n, there = dict(heap.variables), dict(heap.n), set(heap.there)
    here = variables.get(a)
    match edge.name:
        case "null":
            variables[a] = None
        case "copy":
            variables[a] = variables[rest[0]]
        case "is_null" | "not_null":
            return heap if (here is None) == (edge.name == "is_null") else None
        case "next":
            start = variables[rest[0]]
            if start is None:
                raise GoesWrongError
            variables[a] = n.get(start)
        case "clear":
            if here is None:
                raise GoesWrongError
            n.pop(here, None)
        case "link":
            if here is None or here in n:
                raise GoesWrongError
            target = variables[rest[0]]
            if target is not None:
                n[here] = target
        case "new":
            variables[a] = max([9, *there]) + 1
            there.add(max([9, *there]) + 1)
        case "free":
            if here is None:
                raise GoesWrongError
            there.discard(here)
            n = {v: w for v, w in n.items() if here not in (v, w)}
            variables = {k: None if v == here else v for k, v in variables.items()}
    result = Heap(frozenset(there), variables, n)
    if result.cyclic():
        raise GoesWrongError
    return result


def results(body: tuple[BodyEdge, ...], heap: Heap) -> Iterator[Heap]:
    leaving = {e.source: [x for x in body if x.source == e.source] for e in body}
    waiting = [(body[0].source, heap, 0)]
    while waiting:
        place, current, steps = waiting.pop()
        if place not in leaving:
            yield current
        elif steps < 60:
            after = [(e.target, step(e, current)) for e in leaving[place]]
            waiting += [(target, h, steps + 1) for target, h in after if h is not None]


def same_fields(a: Heap, b: Heap, cells: frozenset[int] | set[int]) -> bool:
    return all(b.n.get(v) == (a.n.get(v) if a.n.get(v) in b.there else None) for v in cells)


def requires(name: str, a: Heap) -> bool:
    cells = a.reach("p")
    if name == "split":
        first = a.variables["p"] is not None and a.variables["q"] is None
        return first and not a.shared(cells) and a.closed(cells)
    if name == "reverse":
        return not a.shared(cells) and a.closed(cells)
    return name != "clear_all" or a.closed(cells)


def ensures(name: str, a: Heap, b: Heap) -> bool:
    cells, p, after = a.reach("p"), b.variables["p"], b.reach("p")
    if name == "split":
        other = b.reach("q")
        apart = not after & other and after | other == cells and not b.shared(cells)
        kept = b.there == a.there and p == a.variables["p"]
        return apart and kept and b.closed(after) and b.closed(other) and same_fields(a, b, a.there - cells)
    if name == "reverse":
        return b.there == a.there and after == cells and same_fields(a, b, a.there - cells)
    if name == "push":
        first = p is not None and b.there - a.there == {p} and a.there <= b.there
        return first and b.n.get(p or 0) == a.variables["p"] and same_fields(a, b, a.there)
    return b.there == a.there - cells and p is None and same_fields(a, b, b.there)


def is_right(procedure: Procedure) -> bool:
    names = [m for _, members in procedure.sets for m in members]
    for k in range(4):
        for targets in product([None, *range(k)], repeat=k):
            n = {v: w for v, w in enumerate(targets) if w is not None}
            for values in product([None, *range(k)], repeat=len(procedure.parameters)):
                variables = dict.fromkeys(names) | dict(zip(procedure.parameters, values, strict=True))
                heap = Heap(frozenset(range(k)), variables, n)
                if heap.cyclic() or not requires(procedure.name, heap):
                    continue
                try:
                    if not all(ensures(procedure.name, heap, b) for b in results(procedure.body, heap)):
                        return False
                except GoesWrongError:
                    return False
    return True


def changed(procedure: Procedure, choose: random.Random) -> Procedure:
    """The procedure with one or two of its edges changed."""
    names = [m for _, members in procedure.sets for m in members]
    body = list(procedure.body)
    for _ in range(choose.choice([1, 1, 2])):
        i = choose.randrange(len(body))
        edge, kind = body[i], choose.randrange(4)
        arguments = list(edge.arguments)
        if kind == 0:
            body[i] = replace(edge, name="skip", arguments=())
        elif kind == 1 and arguments:
            arguments[choose.randrange(len(arguments))] = choose.choice(names)
            body[i] = replace(edge, arguments=tuple(arguments))
        elif kind == 2 and arguments:
            body[i] = replace(edge, name=choose.choice(ONE if len(arguments) == 1 else TWO))
        else:
            body[i] = replace(edge, target=choose.choice([*(e.source for e in body), "exit"]))
    return replace(procedure, body=tuple(body))


@pytest.mark.parametrize("name", ["split", "push", "clear_all", "reverse"])
def test_no_wrong_body_is_verified(name: str) -> None:
    choose = random.Random(11)
    assert is_right(PROCEDURES[name])
    verdicts = []
    for _ in range(12):
        mutant = changed(PROCEDURES[name], choose)
        (result,) = verify_contracts(LIST, Contracts({name: mutant}), timeout=4)
        right = is_right(mutant)
        assert right or result.verdict != "verified", [f"{e.source} {e} {e.target}" for e in mutant.body]
        verdicts.append((result.verdict, right))
    assert ("violated", False) in verdicts
