"""Formulas over a bounded number of individuals in each cell, as clauses for a SAT solver.

Closures are exact (repeated squaring of the step relation). Individuals may exist or not, so one set of clauses covers
all universes up to the bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from kleene.diagnostics import UsageError
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
from kleene.smt.finite_model import FiniteModel
from kleene.smt.universe import Universe

TRUE = 1
"""The literal that a unit clause makes true."""
_PORTION = 5_000
"""Conflicts between two looks at the clock."""
_SMALL_PORTION = 50
"""The same where time is limited, at first: nothing interrupts the solver, and a conflict may take a millisecond."""
_SHARE = 0.02
"""Most of the time that is left for one portion."""


def sat_solver() -> Any:
    """A fresh incremental SAT solver."""
    try:
        from pysat.solvers import Solver
    except ImportError:
        raise UsageError("grounded queries need python-sat: install it with 'pip install python-sat'") from None
    return Solver(name="glucose4")


class Grounding:
    """Clauses for formulas over one universe with at most `bounds[c]` individuals in cell c."""

    def __init__(self, universe: Universe, bounds: Mapping[int, int]) -> None:
        self.universe = universe
        self.solver = sat_solver()
        self.solver.add_clause([TRUE])
        self._count = 1
        self.cells: list[int] = []
        self.alive: list[int] = []
        self._domains: dict[str, tuple[int, ...]] = {}
        self._gates: dict[tuple[int, ...], int] = {}
        self._atoms: dict[tuple[str, tuple[int, ...]], int] = {}
        self._memo: dict[tuple[Formula, tuple[int, ...]], int] = {}
        self._closures: dict[tuple[Formula, tuple[int, ...]], dict[tuple[int, int], int]] = {}
        for number, cell in enumerate(universe.cells):
            self._populate(number, 1 if cell.single else max(1, bounds.get(number, 1)), cell.optional)

    def _populate(self, cell: int, count: int, optional: bool) -> None:
        previous = TRUE
        for i in range(count):
            alive = self.variable() if i or optional else TRUE
            self.solver.add_clause([-alive, previous])
            self.cells.append(cell)
            self.alive.append(alive)
            previous = alive

    def close(self) -> None:
        self.solver.delete()

    # Literals -------------------------------------------------------------------------------------------

    def variable(self) -> int:
        self._count += 1
        return self._count

    def conjunction(self, literals: Iterable[int]) -> int:
        """A literal that is true iff all of the given ones are."""
        parts = set(literals)
        parts.discard(TRUE)
        if -TRUE in parts or any(-x in parts for x in parts):
            return -TRUE
        if len(parts) < 2:
            return parts.pop() if parts else TRUE
        key = tuple(sorted(parts))
        gate = self._gates.get(key)
        if gate is None:
            gate = self._gates[key] = self.variable()
            for x in key:
                self.solver.add_clause([-gate, x])
            self.solver.add_clause([gate, *(-x for x in key)])
        return gate

    def disjunction(self, literals: Iterable[int]) -> int:
        return -self.conjunction(-x for x in literals)

    def domain(self, variable: str) -> tuple[int, ...]:
        domain = self._domains.get(variable)
        if domain is None:
            cells = set(self.universe.domain(variable))
            domain = self._domains[variable] = tuple(i for i, c in enumerate(self.cells) if c in cells)
        return domain

    def literal(self, f: Formula, env: Mapping[str, int]) -> int:
        """A literal that is true iff the formula is."""
        key = (f, tuple(env[v] for v in f.free))
        literal = self._memo.get(key)
        if literal is None:
            literal = self._memo[key] = self._literal(f, env)
        return literal

    def _literal(self, f: Formula, env: Mapping[str, int]) -> int:
        match f:
            case Atom(symbol, args):
                return self._atom(symbol, tuple(env[v] for v in args))
            case Equal(a, b):
                return TRUE if env[a] == env[b] else -TRUE
            case Not(body):
                return -self.literal(body, env)
            case And(a, b):
                left = self.literal(a, env)
                return left if left == -TRUE else self.conjunction((left, self.literal(b, env)))
            case Or(a, b):
                left = self.literal(a, env)
                return left if left == TRUE else self.disjunction((left, self.literal(b, env)))
            case Iff(a, b):
                return self._iff(self.literal(a, env), self.literal(b, env))
            case IfThenElse(c, a, b):
                test, then, other = (self.literal(g, env) for g in (c, a, b))
                return self.disjunction((self.conjunction((test, then)), self.conjunction((-test, other))))
            case Exists(v, body):
                parts = ((self.alive[i], self.literal(body, {**env, v: i})) for i in self.domain(v))
                return self.disjunction(self.conjunction(pair) for pair in parts)
            case Forall(v, body):
                parts = ((-self.alive[i], self.literal(body, {**env, v: i})) for i in self.domain(v))
                return self.conjunction(self.disjunction(pair) for pair in parts)
            case Closure():
                return self._closure(f, env)[env[f.left], env[f.right]]
            case Const(Kleene.TRUE):
                return TRUE
            case Const(Kleene.FALSE):
                return -TRUE
        raise ValueError(f"'{f}' has no two-valued meaning")

    def _atom(self, symbol: str, individuals: tuple[int, ...]) -> int:
        known = self.universe.constant(symbol, tuple(self.cells[i] for i in individuals))
        if known is not None:
            return TRUE if known else -TRUE
        key = (symbol, individuals)
        atom = self._atoms.get(key)
        if atom is None:
            atom = self._atoms[key] = self.variable()
        return atom

    def _iff(self, a: int, b: int) -> int:
        if abs(a) == TRUE:
            return b if a == TRUE else -b
        if abs(b) == TRUE:
            return a if b == TRUE else -a
        return self.conjunction((self.disjunction((-a, b)), self.disjunction((a, -b))))

    def _closure(self, f: Closure, env: Mapping[str, int]) -> dict[tuple[int, int], int]:
        """The closure of a step relation among the individuals that exist, by repeated squaring."""
        parameters = tuple(env[v] for v in f.body.free if v not in (f.sub_left, f.sub_right))
        key = (f, parameters)
        closure = self._closures.get(key)
        if closure is not None:
            return closure
        everyone = range(len(self.cells))
        matrix = {(a, b): -TRUE for a in everyone for b in everyone}
        inside = self.domain(f.sub_left)
        for a in inside:
            for b in self.domain(f.sub_right):
                step = self.literal(f.body, {**env, f.sub_left: a, f.sub_right: b})
                matrix[a, b] = self.conjunction((self.alive[a], self.alive[b], step))
        length = 1
        while length < len(inside):
            matrix |= {
                (a, b): self.disjunction(
                    [matrix[a, b], *(self.conjunction((matrix[a, c], matrix[c, b])) for c in inside)]
                )
                for a in inside
                for b in inside
            }
            length *= 2
        self._closures[key] = matrix
        return matrix

    # Assertions and answers -----------------------------------------------------------------------------

    def add(self, f: Formula) -> None:
        """Assert a closed formula."""
        self._assert(f, {}, ())

    def _assert(self, f: Formula, env: Mapping[str, int], guard: tuple[int, ...]) -> None:
        match f:
            case And(a, b):
                self._assert(a, env, guard)
                self._assert(b, env, guard)
            case Forall(v, body):
                for i in self.domain(v):
                    absent = (-self.alive[i],) if self.alive[i] != TRUE else ()
                    self._assert(body, {**env, v: i}, (*guard, *absent))
            case Or(a, b) if not isinstance(b, (Forall, And)):
                right = self.literal(b, env)
                if right != TRUE:
                    self._assert(a, env, guard if right == -TRUE else (*guard, right))
            case Or(a, b):
                left = self.literal(a, env)
                if left != TRUE:
                    self._assert(b, env, guard if left == -TRUE else (*guard, left))
            case _:
                literal = self.literal(f, env)
                if literal != TRUE:
                    self.solver.add_clause([*guard, *(() if literal == -TRUE else (literal,))])

    def solve(self, assumptions: Sequence[int], conflicts: int, remaining: Callable[[], float]) -> bool | None:
        """Satisfiable or not; None after this number of conflicts, or if the time is over (checked now and then)."""
        result: bool | None = None
        portion = _PORTION if math.isinf(remaining()) else _SMALL_PORTION
        while result is None and conflicts > 0 and (before := remaining()) > 0:
            self.solver.conf_budget(min(conflicts, portion))
            result = self.solver.solve_limited(assumptions=list(assumptions))
            conflicts -= portion
            taken = before - remaining()
            if taken < _SHARE * before / 2:
                portion = min(2 * portion, _PORTION)
            elif taken > _SHARE * before:
                portion = max(portion // 2, 1)
        return result

    def core(self) -> frozenset[int]:
        """The assumptions that the last call found to contradict the clauses."""
        return frozenset(self.solver.get_core() or ())

    def model(self) -> FiniteModel:
        """The model that the last call found."""
        true = {x for x in self.solver.get_model() or () if x > 0} | {TRUE}
        kept = [i for i, alive in enumerate(self.alive) if alive in true]
        number = {individual: i for i, individual in enumerate(kept)}
        relations: dict[str, set[tuple[int, ...]]] = {}
        for (symbol, individuals), variable in self._atoms.items():
            if variable in true and all(i in number for i in individuals):
                relations.setdefault(symbol, set()).add(tuple(number[i] for i in individuals))
        cells = tuple(self.cells[i] for i in kept)
        return FiniteModel(self.universe, cells, {s: frozenset(t) for s, t in relations.items()})
