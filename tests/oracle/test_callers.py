"""Callers that are checked against contracts alone, run on all small heaps with every result that the contracts permit.

Random sequences of calls and actions with random postconditions: what is verified must hold in every run.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import product

import pytest

from kleene.analysis.tvp.procedures import verify_contracts
from kleene.symbolic.contracts.reader import parse_contracts
from kleene.symbolic.contracts.specifications import BodyEdge, Contracts

from .test_bodies import LIST, PROCEDURES, GoesWrongError, Heap, same_fields, step

CALLEES = {name: PROCEDURES[name] for name in ("push", "clear_all", "reverse")}
STEPS = (
    *(f"{name}({variable})" for name in CALLEES for variable in "pqt"),
    *("copy(q, p)", "copy(t, p)", "copy(p, t)", "null(p)", "null(q)", "not_null(p)", "clear(p)", "link(p, q)"),
)


def unchanged(a: Heap, b: Heap, cells: frozenset[int] | set[int]) -> bool:
    """same[n] on these cells; a new one had no field."""
    return same_fields(a, b, cells & a.there) and not any(v in b.n for v in cells - a.there)


ENSURES: dict[str, Callable[[Heap, Heap], bool]] = {
    "A(v) same[n](v)": lambda a, b: unchanged(a, b, b.there),
    "A(v) (!old[from[p]](v) -> same[n](v))": lambda a, b: unchanged(a, b, b.there - a.reach("p")),
    "A(v) (new(v) | same[n](v))": lambda a, b: same_fields(a, b, a.there & b.there),
    "A(v) !new(v)": lambda a, b: b.there <= a.there,
    "E(v) new(v)": lambda a, b: not b.there <= a.there,
    "A(v) (new(v) -> from[p](v))": lambda a, b: b.there - a.there <= b.reach("p"),
    "A(v) (from[p](v) <-> old[from[p]](v))": lambda a, b: b.reach("p") == a.reach("p") & b.there,
    "A(v) (from[q](v) <-> old[from[q]](v))": lambda a, b: b.reach("q") == a.reach("q") & b.there,
    "A(v) !old[from[p]](v)": lambda a, b: not a.reach("p") & b.there,
    "A(v) !(from[p](v) & from[q](v))": lambda a, b: not b.reach("p") & b.reach("q"),
    "A(v) (shared(v) -> old[shared](v))": lambda a, b: all(
        v in a.there and a.shared({v}) for v in b.there if b.shared({v})
    ),
}
OWN = "(A(v) (from[p](v) -> !shared(v))) & (A(v, w) (n(v, w) & from[p](w) -> from[p](v)))"
REQUIRES: dict[str, Callable[[Heap], bool]] = {
    "1": lambda a: True,
    OWN: lambda a: not a.shared(a.reach("p")) and a.closed(a.reach("p")),
}


def fields(there: frozenset[int]) -> Iterator[dict[int, int]]:
    cells = sorted(there)
    for targets in product([None, *cells], repeat=len(cells)):
        n = {v: w for v, w in zip(cells, targets, strict=True) if w is not None}
        if not Heap(there, {}, n).cyclic():
            yield n


def called(edge: BodyEdge, a: Heap) -> Iterator[Heap]:
    """Every heap that the contract of a procedure permits."""
    (p,) = edge.arguments
    cells, first = a.reach(p), a.variables[p]
    if edge.name == "push":
        new = max([9, *a.there]) + 1
        n = a.n if first is None else {**a.n, new: first}
        yield Heap(a.there | {new}, {**a.variables, p: new}, n)
    elif not a.closed(cells) or (edge.name == "reverse" and a.shared(cells)):
        raise GoesWrongError
    elif edge.name == "clear_all":
        variables = {k: None if v in cells else v for k, v in a.variables.items()}
        yield Heap(a.there - cells, variables, {v: w for v, w in a.n.items() if not {v, w} & cells})
    else:
        for n, value in product(fields(a.there), [None, *sorted(a.there)]):
            b = Heap(a.there, {**a.variables, p: value}, n)
            if b.reach(p) == cells and same_fields(a, b, a.there - cells):
                yield b


def results(body: tuple[BodyEdge, ...], a: Heap, may_free: set[int]) -> Iterator[Heap]:
    waiting = [(a, 0)]
    while waiting:
        heap, position = waiting.pop()
        if position == len(body):
            yield heap
            continue
        edge = body[position]
        after = list(called(edge, heap)) if edge.name in CALLEES else [step(edge, heap)]
        for b in after:
            if b is not None:
                if not (heap.there - b.there) & a.there <= may_free:
                    raise GoesWrongError
                waiting.append((b, position + 1))


def counterexample(
    body: tuple[BodyEdge, ...], requires: str, ensures: list[str], *, allocates: bool, frees: bool
) -> Heap | None:
    for k in range(4):
        for n, p, q in product(fields(frozenset(range(k))), [None, *range(k)], [None, *range(k)]):
            a = Heap(frozenset(range(k)), {"p": p, "q": q, "t": None}, n)
            if not REQUIRES[requires](a):
                continue
            try:
                for b in results(body, a, a.reach("p") if frees else set()):
                    if not all(ENSURES[e](a, b) for e in ensures) or not (allocates or b.there <= a.there):
                        return a
            except GoesWrongError:
                return a
    return None


@pytest.mark.parametrize("seed", range(4))
def test_what_is_verified_of_a_caller_holds(seed: int) -> None:
    choose = random.Random(seed)
    for _ in range(6):
        steps = [choose.choice(STEPS) for _ in range(choose.choice([1, 2, 2, 3, 4]))]
        requires, ensures = choose.choice(list(REQUIRES)), choose.sample(list(ENSURES), choose.choice([1, 1, 2]))
        allocates, frees = choose.random() < 0.6, choose.random() < 0.5
        text = (
            f"procedure f(p, q)\n %s Pointers {{p, q, t}}\n modifies n, p, q\n requires {requires}\n"
            + (" allocates\n" if allocates else "")
            + (" frees from[p](v)\n" if frees else "")
            + f" ensures {' & '.join(f'({e})' for e in ensures)}\n body\n"
            + "\n".join(f"  l{i} {s} l{i + 1}" for i, s in enumerate(steps))
        )
        procedure = parse_contracts(text).procedures["f"]
        (result,) = verify_contracts(LIST, Contracts({**CALLEES, "f": procedure}), timeout=4, only=["f"])
        if result.verdict == "verified":
            found = counterexample(procedure.body, requires, ensures, allocates=allocates, frees=frees)
            assert found is None, f"{text}\n{found}"
