"""Deltas of transitive closures: exact for unit changes of acyclic predicates, general otherwise.

Reps, Sagiv, Loginov. Finite differencing of logical formulas for static analysis. TOPLAS 32(6), 2010, on
acyclic relations and unit-size changes; the concrete shapes are those of
docs/concepts/differencing.md.

Deviations. Where TVLA stops with "non-unit change" the general rule is used and a warning given. Before that,
chains such as ``n & a & b`` are read as ``n & (a & b)`` (TVLA looks at direct operands only), which can make
the change unit. For ``q+`` the general rule also counts removed self-loops when both ends are equal (``c != d
| a == b``), else ``n+(v, v)`` would survive the removal of its only edge.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from kleene.logic.formula import (
    FALSE,
    Atom,
    Closure,
    Equal,
    Exists,
    Formula,
    Not,
    Or,
    conj,
    disj,
    neg,
    predicates_of,
)
from kleene.logic.transform import substitute

Relation = Callable[[str, str], Formula]
"""A formula with two places."""

UNIT_ADDITION = "unit closure addition"
UNIT_REMOVAL = "unit closure removal"
GENERAL = "general closure"


@dataclass(frozen=True)
class ClosureShape:
    """``TC(left, right)(a, b) step``, or-ed with ``left == right`` if reflexive."""

    left: str
    right: str
    a: str
    b: str
    step: Formula
    reflexive: bool

    def at(self, x: str, y: str) -> Formula:
        """The closure between other nodes."""
        plain = Closure(x, y, self.a, self.b, self.step)
        return Or(Equal(x, y), plain) if self.reflexive else plain

    @property
    def formula(self) -> Formula:
        return self.at(self.left, self.right)

    @property
    def edge(self) -> Atom | None:
        """The step, if it is one binary predicate between the two nodes, in either direction."""
        match self.step:
            case Atom(_, (v, w)) if {v, w} == {self.a, self.b}:
                return self.step
        return None

    def with_step(self, step: Formula) -> ClosureShape:
        return replace(self, step=step)


def closure_shape(f: Formula) -> ClosureShape | None:
    """The formula as a closure: TC, alone or or-ed (on either side) with the equality of its ends."""
    match f:
        case Closure(left, right, a, b, body):
            return ClosureShape(left, right, a, b, body, reflexive=False)
        case Or(Equal(v, w), Closure() as plain) | Or(Closure() as plain, Equal(v, w)) if v != w and {
            v,
            w,
        } == {plain.left, plain.right}:
            return ClosureShape(plain.left, plain.right, plain.sub_left, plain.sub_right, plain.body, reflexive=True)
    return None


class Closures:
    """Formulas about how a closure changes. `fresh` makes variables that occur nowhere else."""

    def __init__(self, fresh: Callable[[], str]) -> None:
        self._fresh = fresh

    def _through(self, shape: ClosureShape, old: Relation, edge: Relation) -> Relation:
        """``E a, b: old(l, a) & edge(a, b) & old(b, r)``; for ``q+`` a may be l and b may be r."""

        def path(left: str, right: str) -> Formula:
            a, b = self._fresh(), self._fresh()
            both: Formula = Exists(a, Exists(b, conj(old(left, a), conj(edge(a, b), old(b, right)))))
            if shape.reflexive:
                return both
            return disj(
                edge(left, right),
                Exists(a, conj(old(left, a), edge(a, right))),
                Exists(b, conj(edge(left, b), old(b, right))),
                both,
            )

        return path

    def unit_addition(self, shape: ClosureShape, old: Relation, plus: Relation) -> tuple[Formula, Formula]:
        """D+ and D- when at most one edge is added."""
        return self._through(shape, old, plus)(shape.left, shape.right), FALSE

    def unit_removal(
        self, shape: ClosureShape, old: Relation, step: Relation, minus: Relation
    ) -> tuple[Formula, Formula]:
        """D+ and D- when at most one edge of an acyclic relation is removed: every remaining path has three pieces."""
        removed = self._through(shape, old, minus)

        def piece(x: str, y: str) -> Formula:
            return disj(conj(old(x, y), neg(removed(x, y))), conj(step(x, y), neg(minus(x, y))))

        a, b = self._fresh(), self._fresh()
        left, right = shape.left, shape.right
        three = Exists(a, Exists(b, conj(piece(left, a), conj(piece(a, b), piece(b, right)))))
        if shape.reflexive:
            return FALSE, neg(three)
        two = Exists(a, conj(piece(left, a), piece(a, right)))
        return FALSE, neg(disj(piece(left, right), two, three))

    def general(
        self, shape: ClosureShape, old: Relation, future: Relation, plus: Relation, minus: Relation
    ) -> tuple[Formula, Formula]:
        """D+ and D- in general: Psi, the closure over new steps and old paths without a removed edge."""
        a, b, c, d = (self._fresh() for _ in range(4))
        psi = self._psi(shape, old, future, minus)
        added = Exists(a, Exists(b, plus(a, b))) if plus(a, b) is not FALSE else FALSE
        removed = Exists(c, Exists(d, minus(c, d))) if minus(c, d) is not FALSE else FALSE
        return conj(added, psi), conj(removed, neg(psi))

    def _psi(self, shape: ClosureShape, old: Relation, future: Relation, minus: Relation) -> Formula:
        a, b, c, d = (self._fresh() for _ in range(4))
        if shape.reflexive:
            broken = conj(minus(c, d), old(a, c), old(d, b), Not(Equal(c, d)))
        else:
            before = disj(old(a, c), Equal(a, c))
            after = disj(old(d, b), Equal(d, b))
            broken = conj(minus(c, d), before, after, disj(Not(Equal(c, d)), Equal(a, b)))
        intact = old(a, b) if minus(c, d) is FALSE else conj(old(a, b), neg(Exists(c, Exists(d, broken))))
        step = disj(Equal(a, b), future(a, b), intact) if shape.reflexive else disj(future(a, b), intact)
        closed = Closure(shape.left, shape.right, a, b, step)
        return Or(Equal(shape.left, shape.right), closed) if shape.reflexive else closed


def stored_relation(stored: Formula, args: tuple[str, ...], shape: ClosureShape) -> Relation | None:
    """The closure as read from the predicate that it defines, if its ends are the two arguments."""
    if len(args) != 2 or {shape.left, shape.right} != set(args) or shape.left == shape.right:
        return None
    if set(shape.formula.free) != set(args) or stored.free == () or not predicates_of(stored):
        return None
    return lambda x, y: substitute(stored, {shape.left: x, shape.right: y})
