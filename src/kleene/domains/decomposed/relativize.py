"""Formulas over a state that falls into parts: what is left of a formula if each variable lies in a known part.

A state falls into parts if no core predicate relates nodes of different parts. A variable of a formula gets the label
of the part that its node lies in. `Relativizer.reduced` replaces each quantifier by one for each part, and simplifies:
atoms and equalities between different parts are false, and so are the predicates of touched pointers outside of the
touched part. A formula all of whose variables are left with one label is evaluated in that part alone. (The frame
property of local formulas; compare Manevich, Lev-Ami, Sagiv, Ramalingam, Berdine. Heap decomposition for concurrent
shape analysis, SAS 2008, section 4.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set

from kleene.logic.formula import (
    FALSE,
    TRUE,
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
    conj,
    disj,
    neg,
    subformulas,
)

TOUCHED = "touched"
"""The label of the parts that an action touches, taken together."""
OTHER, THIRD = "other", "third"
"""Labels of two other parts."""
_NEW = "isNew"
"""The predicate of the nodes that an action makes: they belong to the touched part."""

Labels = Mapping[str, str]
"""The parts in which the nodes of the free variables lie."""


class NotLocal(Exception):
    """A closure whose steps may lead from one part to another."""


class Relativizer:
    """Relativizes formulas to parts.

    `rooted` maps unary predicates to the pointers without which no node has them. `touched` are pointers of the touched
    part, `absent` pointers that are not in it.
    """

    def __init__(
        self, rooted: Mapping[str, frozenset[str]], touched: Set[str] = frozenset(), absent: Set[str] = frozenset()
    ) -> None:
        self.rooted = rooted
        self.touched = touched
        self.absent = absent
        self._memo: dict[tuple[Formula, tuple[tuple[str, str], ...]], Formula] = {}

    def reduce(self, f: Formula, where: Labels) -> Formula:
        """The formula over labelled variables ``v@part``. Raises NotLocal."""
        key = (f, tuple((v, where[v]) for v in f.free))
        known = self._memo.get(key)
        if known is None:
            known = self._memo[key] = self._reduce(f, dict(key[1]))
        return known

    def _reduce(self, f: Formula, where: dict[str, str]) -> Formula:
        match f:
            case Const():
                return f
            case Atom(predicate, args):
                return self._atom(predicate, args, where)
            case Equal(left, right):
                if where[left] != where[right]:
                    return FALSE
                return TRUE if left == right else Equal(*_labelled_names((left, right), where))
            case Not(body):
                return neg(self.reduce(body, where))
            case And(left, right):
                return conj(self.reduce(left, where), self.reduce(right, where))
            case Or(left, right):
                return disj(self.reduce(left, where), self.reduce(right, where))
            case Iff(left, right):
                return Iff(self.reduce(left, where), self.reduce(right, where))
            case IfThenElse(condition, then, otherwise):
                return self._choice(*(self.reduce(part, where) for part in (condition, then, otherwise)))
            case Exists(variable, body):
                return disj(*self._quantify(Exists, variable, body, where, FALSE))
            case Forall(variable, body):
                return conj(*self._quantify(Forall, variable, body, where, TRUE))
            case Closure():
                return self._closure(f, where)
        raise AssertionError(f"unknown formula {f}")

    def _atom(self, predicate: str, args: tuple[str, ...], where: dict[str, str]) -> Formula:
        labels = {where[v] for v in args}
        if len(labels) > 1:
            return FALSE
        if len(args) == 1:
            inside, roots = labels == {TOUCHED}, self.rooted.get(predicate, frozenset())
            if (predicate == _NEW and not inside) or (roots and roots <= (self.absent if inside else self.touched)):
                return FALSE
        return Atom(predicate, _labelled_names(args, where))

    def _choice(self, condition: Formula, then: Formula, otherwise: Formula) -> Formula:
        if isinstance(condition, Const):
            if condition is TRUE:
                return then
            if condition is FALSE:
                return otherwise
        return then if then is otherwise else IfThenElse(condition, then, otherwise)

    def _quantify(
        self,
        quantifier: type[Exists] | type[Forall],
        variable: str,
        body: Formula,
        where: dict[str, str],
        neutral: Formula,
    ) -> Iterator[Formula]:
        """The formula for each part; one that adds nothing is left out. A part may have no nodes."""
        for label in _parts(where.values()):
            inner = self.reduce(body, {**where, variable: label})
            if inner is not neutral:
                yield quantifier(_name(variable, label), inner)

    def _closure(self, f: Closure, where: dict[str, str]) -> Formula:
        """A path whose steps stay in one part stays in one part."""
        outer = {v: label for v, label in where.items() if v in f.body.free and v not in (f.sub_left, f.sub_right)}
        labels = _parts(where.values())
        for one in labels:
            for two in labels:
                step = {**outer, f.sub_left: one, f.sub_right: two}
                if one != two and self.reduce(f.body, step) is not FALSE:
                    raise NotLocal
        label = where[f.left]
        if label != where[f.right]:
            return FALSE
        body = self.reduce(f.body, {**outer, f.sub_left: label, f.sub_right: label})
        if body is FALSE:
            return FALSE
        left, right, sub_left, sub_right = (_name(v, label) for v in (f.left, f.right, f.sub_left, f.sub_right))
        return Closure(left, right, sub_left, sub_right, body)


def _parts(labels: Iterable[str]) -> list[str]:
    """The touched part, the parts in use, and one more."""
    used = dict.fromkeys([TOUCHED, *labels])
    fresh = next(name for number in range(len(used) + 1) if (name := f"part{number}") not in used)
    return [*used, fresh]


def _name(variable: str, label: str) -> str:
    return f"{variable}@{label}"


def _labelled_names(variables: tuple[str, ...], where: Labels) -> tuple[str, ...]:
    return tuple(_name(v, where[v]) for v in variables)


def _label(variable: str) -> str:
    return variable.rpartition("@")[2]


def lies_in(f: Formula, label: str, facts: Set[str]) -> bool:
    """Whether a reduced formula is about one part alone, and about these facts."""
    for g in subformulas(f):
        match g:
            case Atom(predicate, ()):
                if predicate not in facts:
                    return False
            case Atom(_, args):
                if any(_label(v) != label for v in args):
                    return False
            case Equal(left, right) | Closure(left, right):
                if _label(left) != label or _label(right) != label:
                    return False
            case Exists(variable, _) | Forall(variable, _):
                if _label(variable) != label:
                    return False
    return True


def holds_in_some_part(f: Formula, facts: Set[str]) -> bool:
    """Whether a reduced formula without free variables holds iff it holds in one of the parts."""
    match f:
        case Or(left, right):
            return holds_in_some_part(left, facts) and holds_in_some_part(right, facts)
        case Exists(variable, _) if _label(variable) != TOUCHED:
            return lies_in(f, _label(variable), frozenset())
    return lies_in(f, TOUCHED, facts)


def holds_in_all_parts(f: Formula, facts: Set[str]) -> bool:
    """The same with 'in each of the parts'."""
    match f:
        case And(left, right):
            return holds_in_all_parts(left, facts) and holds_in_all_parts(right, facts)
        case Not(body):
            return holds_in_some_part(body, facts)
        case Forall(variable, _) if _label(variable) != TOUCHED:
            return lies_in(f, _label(variable), frozenset())
    return lies_in(f, TOUCHED, facts)


def is_kept(f: Formula, facts: Set[str], absent: Set[str], *, stronger: bool) -> bool:
    """Whether a reduced formula, evaluated on the touched part alone, is stronger (or weaker) than on the whole state.

    Quantifiers over other parts are left out there, and the `absent` facts are false.
    """
    match f:
        case Not(body):
            return is_kept(body, facts, absent, stronger=not stronger)
        case And(left, right) | Or(left, right):
            return all(is_kept(part, facts, absent, stronger=stronger) for part in (left, right))
        case Atom(predicate, ()) if predicate in absent:
            return stronger
        case Exists(variable, body) | Forall(variable, body):
            if _label(variable) != TOUCHED:
                return stronger if isinstance(f, Exists) else not stronger
            return is_kept(body, facts, absent, stronger=stronger)
    return lies_in(f, TOUCHED, facts)


def is_false_alone(f: Formula, absent: Set[str]) -> bool:
    """Whether a reduced formula is false on the touched part alone, without the `absent` facts."""
    match f:
        case Const():
            return f is FALSE
        case Atom(predicate, ()):
            return predicate in absent
        case And(left, right):
            return is_false_alone(left, absent) or is_false_alone(right, absent)
        case Or(left, right):
            return is_false_alone(left, absent) and is_false_alone(right, absent)
        case Exists(variable, body):
            return _label(variable) != TOUCHED or is_false_alone(body, absent)
    return False
