"""Finite two-valued models, and the truth of formulas in them, closures included.

Answers of solvers are read as a universe with relations and evaluated here: a model counts only if it satisfies what
was asked (docs/concepts/symbolic.md, "Solvers").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kleene.logic.formula import (
    And,
    Atom,
    Closure,
    Const,
    Equal,
    Exists,
    Forall,
    Formula,
    Iff,
    IfThenElse,
    Not,
    Or,
)
from kleene.logic.kleene import Kleene
from kleene.smt.universe import Universe

Tuple = tuple[int, ...]


@dataclass(frozen=True)
class FiniteModel:
    """Individuals are the numbers 0, 1, ...; `cells[i]` is the cell of i. `relations` list the tuples that hold."""

    universe: Universe
    cells: tuple[int, ...]
    relations: Mapping[str, frozenset[Tuple]]

    @property
    def size(self) -> int:
        return len(self.cells)

    def holds(self, symbol: str, individuals: Tuple) -> bool:
        known = self.universe.constant(symbol, tuple(self.cells[i] for i in individuals))
        if known is not None:
            return known
        return individuals in self.relations.get(symbol, frozenset())

    def satisfies(self, f: Formula, assignment: Mapping[str, int] | None = None) -> bool:
        """The truth of a formula under an assignment of its free variables."""
        return _Evaluation(self).truth(f, dict(assignment or {}))


class _Evaluation:
    def __init__(self, model: FiniteModel) -> None:
        self.model = model
        self._domains: dict[str, tuple[int, ...]] = {}
        self._closures: dict[tuple[Formula, Tuple], frozenset[tuple[int, int]]] = {}

    def domain(self, variable: str) -> tuple[int, ...]:
        domain = self._domains.get(variable)
        if domain is None:
            cells = set(self.model.universe.domain(variable))
            domain = tuple(i for i, c in enumerate(self.model.cells) if c in cells)
            self._domains[variable] = domain
        return domain

    def truth(self, f: Formula, z: dict[str, int]) -> bool:
        match f:
            case Atom(symbol, args):
                return self.model.holds(symbol, tuple(z[v] for v in args))
            case Not(body):
                return not self.truth(body, z)
            case And(left, right):
                return self.truth(left, z) and self.truth(right, z)
            case Or(left, right):
                return self.truth(left, z) or self.truth(right, z)
            case Equal(left, right):
                return z[left] == z[right]
            case Exists(v, body):
                return any(self.truth(body, {**z, v: i}) for i in self.domain(v))
            case Forall(v, body):
                return all(self.truth(body, {**z, v: i}) for i in self.domain(v))
            case Iff(left, right):
                return self.truth(left, z) is self.truth(right, z)
            case IfThenElse(condition, then, otherwise):
                return self.truth(then if self.truth(condition, z) else otherwise, z)
            case Closure(left, right):
                return (z[left], z[right]) in self.closure(f, z)
            case Const(Kleene.TRUE):
                return True
            case Const(Kleene.FALSE):
                return False
        raise ValueError(f"'{f}' has no two-valued meaning")

    def closure(self, f: Closure, z: dict[str, int]) -> frozenset[tuple[int, int]]:
        """All pairs that one or more steps connect, for the given values of the other variables."""
        parameters = tuple(z[v] for v in f.body.free if v not in (f.sub_left, f.sub_right))
        key = (f.body, parameters)
        closure = self._closures.get(key)
        if closure is None:
            sources, targets = self.domain(f.sub_left), self.domain(f.sub_right)
            step = {
                a: {b for b in targets if self.truth(f.body, {**z, f.sub_left: a, f.sub_right: b})} for a in sources
            }
            closure = self._closures[key] = frozenset(_reachable(step))
        return closure


def _reachable(step: dict[int, set[int]]) -> set[tuple[int, int]]:
    pairs = set()
    for start, first in step.items():
        reached: set[int] = set()
        waiting = list(first)
        while waiting:
            here = waiting.pop()
            if here not in reached:
                reached.add(here)
                waiting.extend(step.get(here, ()))
        pairs |= {(start, end) for end in reached}
    return pairs
