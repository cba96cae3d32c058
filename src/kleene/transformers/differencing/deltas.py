"""D+, D- and F: when a formula may become true or false by an action, and its value afterwards.

Reps, Sagiv, Loginov. Finite differencing of logical formulas for static analysis (ESOP 2003, TOPLAS 32(6),
2010); the shapes of the rules are those of docs/concepts/differencing.md, because updates are evaluated in three
values and Kleene evaluation does not respect classical equivalence.

Invariants (two-valued, with g' = g after the action): ``!g & g'`` implies D+[g], which implies g'; ``g &
!g'`` implies D-[g], which implies ``!g'``. So ``g ? !D-[g] : D+[g]`` is g' everywhere. Every rule below keeps
them for any reading of the atoms, whether or not instrumentation predicates have their defined values; only
the use of the defined predicate for its own definition (`Defined`) relies on that.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

from kleene.logic.formula import (
    FALSE,
    TRUE,
    And,
    Atom,
    Const,
    Equal,
    Exists,
    Forall,
    Formula,
    Iff,
    IfThenElse,
    Not,
    Or,
    conj,
    disj,
    neg,
)
from kleene.logic.transform import substitute, unused_prefix
from kleene.logic.vocabulary import IS_NEW, Vocabulary
from kleene.transformers.differencing.closures import (
    GENERAL,
    UNIT_ADDITION,
    UNIT_REMOVAL,
    Closures,
    ClosureShape,
    Relation,
    closure_shape,
    stored_relation,
)
from kleene.transformers.differencing.simplify import if_then_else, operands
from kleene.transformers.differencing.uniqueness import is_determined
from kleene.transformers.differencing.universe import LIVE, Universe

Delta = tuple[Formula, Formula]
"""D+ and D-."""

NONE: Delta = (FALSE, FALSE)


@dataclass(frozen=True)
class Change:
    """How an action changes a predicate: its update over `args` and the deltas of it (not yet tight)."""

    args: tuple[str, ...]
    future: Formula
    plus: Formula
    minus: Formula
    given: bool = True


def update_delta(atom: Atom, update: Formula, *, flat: bool = False) -> Delta:
    """D+ and D- of a predicate by the top-level shape of its update; `flat`: chains of & or | are one."""
    match update:
        case Atom() if update is atom:
            return NONE
        case IfThenElse(condition, then, otherwise) if condition is atom:
            return otherwise, neg(then)
        case IfThenElse(condition, then, otherwise) if otherwise is atom:
            return conj(condition, then), conj(condition, neg(then))
        case Or(left, right) | And(left, right):
            parts = operands(type(update), update) if flat else [left, right]
            if atom in parts:
                kind = disj if isinstance(update, Or) else conj
                rest = kind(*(g for g in parts if g is not atom))
                return (rest, FALSE) if isinstance(update, Or) else (FALSE, neg(rest))
    return update, neg(update)


@dataclass(frozen=True)
class Defined:
    """The predicate that a definition defines: its value before the action, its name and its arguments."""

    name: str
    args: tuple[str, ...]
    value: Formula


class Differencer:
    """Deltas and futures of formulas under one action; `changes` grows as predicates are derived."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        universe: Universe,
        reserved: Iterable[str],
        *,
        tight: bool = True,
        unit_cyclic: bool = False,
    ) -> None:
        self.vocabulary = vocabulary
        self.universe = universe
        self.changes: dict[str, Change] = {}
        self.simplify = universe.simplify
        self.reserved = frozenset(reserved)
        self._tight = tight
        self._unit_cyclic = unit_cyclic
        self._memo: dict[Formula, Delta] = {}
        prefix = unused_prefix("z", self.reserved)
        numbers = itertools.count()
        self._closures = Closures(lambda: f"{prefix}{next(numbers)}")
        self.method = ""
        self.non_unit: str | None = None

    # -- predicates --

    def future_atom(self, atom: Atom) -> Formula:
        """U(q): the update of a predicate, or the predicate itself."""
        if atom.predicate == LIVE:
            return self.universe.existence_after(atom.args[0])
        change = self.changes.get(atom.predicate)
        if change is None:
            return atom
        return substitute(change.future, dict(zip(change.args, atom.args, strict=True)))

    def atom_delta(self, atom: Atom, *, flat: bool = False) -> Delta:
        """The (tight) deltas of a predicate."""
        if atom.predicate == LIVE:
            plus, minus = self.universe.live_delta(atom.args[0])
            return self.simplify(plus), self.simplify(minus)
        change = self.changes.get(atom.predicate)
        if change is None:
            return NONE
        mapping = dict(zip(change.args, atom.args, strict=True))
        plus, minus = change.plus, change.minus
        if flat and change.given:
            plus, minus = update_delta(Atom(atom.predicate, change.args), change.future, flat=True)
        plus, minus = substitute(plus, mapping), substitute(minus, mapping)
        if self._tight:
            plus, minus = conj(plus, neg(atom)), conj(minus, atom)
        return self.simplify(plus), self.simplify(minus)

    # -- formulas --

    def future(self, g: Formula) -> Formula:
        """F[g]."""
        match g:
            case Atom():
                return self.simplify(self.future_atom(g))
            case And(Atom(predicate, _) as live, body) if predicate == LIVE:
                return self.simplify(conj(self.future(live), self.future(body)))
            case Or(Not(Atom(predicate, _) as live), body) if predicate == LIVE:
                return self.simplify(disj(neg(self.future(live)), self.future(body)))
        plus, minus = self.delta(g)
        return self.simplify(if_then_else(self.universe.before(g), neg(minus), plus))

    def delta(self, g: Formula) -> Delta:
        """D+[g] and D-[g] of a formula inside a definition."""
        delta = self._memo.get(g)
        if delta is None:
            delta = self._memo[g] = self._simplify_delta(self._delta(g, None))
        return delta

    def definition_delta(self, f: Formula, defined: Defined) -> Delta:
        """D+ and D- of a whole definition; `method` then says which rule made them."""
        self._memo.clear()
        self.method, self.non_unit = "delta", None
        return self._simplify_delta(self._delta(f, defined))

    def _simplify_delta(self, delta: Delta) -> Delta:
        return self.simplify(delta[0]), self.simplify(delta[1])

    def _delta(self, g: Formula, defined: Defined | None) -> Delta:
        shape = closure_shape(g)
        if shape is not None:
            return self._closure(shape, defined)
        match g:
            case And():
                return self._conjunction(*g.children)
            case Atom():
                return self.atom_delta(g)
            case Or():
                return self._disjunction(*g.children)
            case Not(body):
                plus, minus = self.delta(body)
                return minus, plus
            case Const() | Equal():
                return NONE
            case Iff(left, right):
                return self.delta(And(Or(neg(left), right), Or(neg(right), left)))
            case IfThenElse(condition, then, otherwise):
                return self.delta(Or(And(condition, then), And(neg(condition), otherwise)))
            case Exists(variable, body):
                return self._exists(variable, body, defined.value if defined else self.universe.before(g))
            case Forall(variable, body):
                return self._forall(variable, body, defined.value if defined else self.universe.before(g))
        raise TypeError(f"not a formula: {type(g).__name__}")

    def _conjunction(self, left: Formula, right: Formula) -> Delta:
        """D- = D-g & h | g & D-h;  D+ = D+g & F[h] | F[g] & D+h."""
        (left_plus, left_minus), (right_plus, right_minus) = self.delta(left), self.delta(right)
        before = self.universe.before
        minus = disj(
            conj(left_minus, before(right)) if left_minus is not FALSE else FALSE,
            conj(before(left), right_minus) if right_minus is not FALSE else FALSE,
        )
        plus = disj(
            conj(left_plus, self.future(right)) if left_plus is not FALSE else FALSE,
            conj(self.future(left), right_plus) if right_plus is not FALSE else FALSE,
        )
        return plus, minus

    def _disjunction(self, left: Formula, right: Formula) -> Delta:
        """D+ = D+g & !h | !g & D+h;  D- = D-g & !F[h] | !F[g] & D-h."""
        (left_plus, left_minus), (right_plus, right_minus) = self.delta(left), self.delta(right)
        before = self.universe.before
        plus = disj(
            conj(left_plus, neg(before(right))) if left_plus is not FALSE else FALSE,
            conj(neg(before(left)), right_plus) if right_plus is not FALSE else FALSE,
        )
        minus = disj(
            conj(left_minus, neg(self.future(right))) if left_minus is not FALSE else FALSE,
            conj(neg(self.future(left)), right_minus) if right_minus is not FALSE else FALSE,
        )
        return plus, minus

    def _exists(self, variable: str, body: Formula, old: Formula) -> Delta:
        """D+ = (E v D+g) & !(E v g);  D- = (E v D-g) & !(E v F[g])."""
        plus, minus = self.delta(body)
        added = conj(Exists(variable, plus), neg(old)) if plus is not FALSE else FALSE
        if minus is FALSE:
            return added, FALSE
        return added, conj(Exists(variable, minus), neg(Exists(variable, self.future(body))))

    def _forall(self, variable: str, body: Formula, old: Formula) -> Delta:
        """D- = (E v D-g) & (A v g);  D+ = (E v D+g) & (A v F[g])."""
        plus, minus = self.delta(body)
        removed = conj(Exists(variable, minus), old) if minus is not FALSE else FALSE
        if plus is FALSE:
            return FALSE, removed
        return conj(Exists(variable, plus), Forall(variable, self.future(body))), removed

    # -- closures --

    def _closure(self, shape: ClosureShape, defined: Defined | None) -> Delta:
        plus, minus = self.delta(shape.step)
        if plus is FALSE and minus is FALSE:
            return NONE
        stored = stored_relation(defined.value, defined.args, shape) if defined else None
        if stored is not None:
            exact = self._unit_closure(shape, stored)
            if exact is not None:
                return exact
        if defined is not None:
            self.method = GENERAL
        old = stored or (lambda x, y: self.universe.before(shape.at(x, y)))
        step = self.universe.before(shape.step)
        future = self.future(shape.step)
        return self._closures.general(
            shape.with_step(step),
            old,
            _relation(shape, future),
            _relation(shape, plus),
            _relation(shape, minus),
        )

    def _unit_closure(self, shape: ClosureShape, old: Relation) -> Delta | None:
        """The exact deltas, if the step is a predicate that changes by at most one edge."""
        edge = shape.edge
        predicate = self.vocabulary.get(edge.predicate) if edge else None
        if edge is None or predicate is None:
            return None
        acyclic = predicate.has("acyclic")
        for flat in (False, True):
            plus, minus = self.atom_delta(edge, flat=flat)
            unit = self.unit_change(edge, plus, minus)
            if unit == UNIT_ADDITION and (acyclic or self._unit_cyclic):
                self.method = unit
                return self._closures.unit_addition(shape, old, _relation(shape, plus))
            if unit == UNIT_REMOVAL and acyclic:
                self.method = unit
                return self._closures.unit_removal(shape, old, _relation(shape, edge), _relation(shape, minus))
        if acyclic:
            self.non_unit = edge.predicate
        return None

    def unit_change(self, edge: Atom, plus: Formula, minus: Formula) -> str | None:
        """'unit closure addition' ('... removal') if at most one edge is added (removed) and nothing else."""
        if self.universe.copies or len(set(edge.args)) != 2:
            return None
        unique = self._unique_per_component(edge.predicate)
        if self.universe.single_new_node:
            unique |= {IS_NEW.name}
        if minus is FALSE and is_determined(plus, edge.args, self.vocabulary, unique):
            return UNIT_ADDITION
        if plus is FALSE and is_determined(minus, edge.args, self.vocabulary, unique):
            return UNIT_REMOVAL
        return None

    def _unique_per_component(self, edge: str) -> frozenset[str]:
        """The predicates that hold once in each component of q, if the edge is a spanning-forest edge of q.

        Such edges (named ``sfe[q]`` or ``ste[q]``) stay within a component of q, and closures of different components
        do not meet: one change for each component is as good as one change.
        """
        return frozenset(
            p.name for p in self.vocabulary for q in p.unique_per_component if edge in (f"sfe[{q}]", f"ste[{q}]")
        )

    def closure_future(self, closure: Formula) -> Formula:
        """F of a closure formula that no predicate stands for."""
        self._memo.clear()
        return self.future(closure)


def _relation(shape: ClosureShape, f: Formula) -> Relation:
    """A formula over the closure's step variables as a relation."""
    if f is FALSE or f is TRUE:
        return lambda x, y: f
    return lambda x, y: substitute(f, {shape.a: x, shape.b: y})
