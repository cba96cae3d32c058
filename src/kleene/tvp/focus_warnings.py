"""Focus formulas that could need infinitely many structures (thesis section 6, TVLA 3 focus order).

A formula is brought into disjunctive normal form without its quantifiers. In each disjunct a variable is
*bound* if a positive `unique` literal mentions it, or a positive `function` (`invfunction`) literal leads
to it from (back to) a bound one. A literal of arity two or more over unbound nodes may split summary nodes
without end, also if it is a function: an edge between two summary nodes has infinitely many cases. So has an
equality of two variables, unless one of them is bound and so stands for a single node, or the formula asks for another
individual (``E(v) a(v) & v != w``: one that is split off decides it). The constant 1/2 cannot be brought into focus at
all.
"""

from __future__ import annotations

from itertools import count

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
from kleene.logic.vocabulary import Vocabulary

_MOST_DISJUNCTS = 200
_CHOSEN = "E"
"""Marks variables of existential quantifiers, and of universal ones under a negation."""
Literal = tuple[bool, Atom | Equal | Const]
Conjunct = tuple[Literal, ...]


class _TooLarge(Exception):
    """The normal form is too large to look at."""


class _NotALiteral(Exception):
    """A closure whose body is no literal."""


def focus_problem(f: Formula, vocabulary: Vocabulary) -> str:
    """Why focusing on a formula may not end, or the empty text."""
    try:
        disjuncts = _NormalForm().disjuncts(f, True, {})
    except _TooLarge:
        return ""
    except _NotALiteral:
        return "it contains a transitive closure whose body is not a literal"
    for conjunct in disjuncts:
        problem = _conjunct_problem(conjunct, vocabulary)
        if problem:
            return problem
    return ""


def mentions_unknown(f: Formula) -> bool:
    """True iff the constant 1/2 occurs in a formula."""
    if isinstance(f, Const):
        return f.value is Kleene.UNKNOWN
    return any(mentions_unknown(child) for child in f.children)


class _NormalForm:
    """Disjunctive normal form; bound variables get fresh names, quantifiers are dropped."""

    def __init__(self) -> None:
        self._fresh = count(1)

    def disjuncts(self, f: Formula, sign: bool, names: dict[str, str]) -> list[Conjunct]:
        match f:
            case Const(value):
                return [((sign, Const(value)),)]
            case Atom(predicate, args):
                return [((sign, Atom(predicate, tuple(names.get(a, a) for a in args))),)]
            case Equal(left, right):
                return [((sign, Equal(names.get(left, left), names.get(right, right))),)]
            case Not(body):
                return self.disjuncts(body, not sign, names)
            case And(left, right) | Or(left, right):
                parts = self.disjuncts(left, sign, names), self.disjuncts(right, sign, names)
                return _product(*parts) if isinstance(f, And) == sign else _limit(parts[0] + parts[1])
            case Iff(left, right):
                both = And(Or(Not(left), right), Or(Not(right), left))
                return self.disjuncts(both, sign, names)
            case IfThenElse(condition, then, otherwise):
                split = Or(And(condition, then), And(Not(condition), otherwise))
                return self.disjuncts(split, sign, names)
            case Exists(variable, body) | Forall(variable, body):
                chosen = isinstance(f, Exists) is sign
                return self.disjuncts(body, sign, {**names, variable: self._new(_CHOSEN if chosen else "")})
            case Closure():
                inner = {**names, f.sub_left: self._new(), f.sub_right: self._new()}
                disjuncts = self.disjuncts(f.body, sign, inner)
                if len(disjuncts) != 1 or len(disjuncts[0]) != 1:
                    raise _NotALiteral
                return disjuncts
        raise TypeError(f"not a formula: {type(f).__name__}")

    def _new(self, mark: str = "") -> str:
        return f"#{mark}{next(self._fresh)}"


def _limit(disjuncts: list[Conjunct]) -> list[Conjunct]:
    if len(disjuncts) > _MOST_DISJUNCTS:
        raise _TooLarge
    return disjuncts


def _product(left: list[Conjunct], right: list[Conjunct]) -> list[Conjunct]:
    if len(left) * len(right) > _MOST_DISJUNCTS:
        raise _TooLarge
    return [a + b for a in left for b in right]


def _conjunct_problem(conjunct: Conjunct, vocabulary: Vocabulary) -> str:
    bound = _bound_variables(conjunct, vocabulary)
    for sign, literal in conjunct:
        match literal:
            case Equal(left, right) if left != right and not {left, right} & bound:
                if not sign and any(v.startswith(f"#{_CHOSEN}") for v in (left, right)):
                    continue
                return "it contains an equality of two variables that no unique predicate binds"
            case Atom(predicate, args) if len(args) >= 2:
                unbound = {a for a in args if a not in bound}
                if len(unbound) > 1 or (unbound and len(set(args)) == 1):
                    return f"no unique predicate binds '{predicate}' to single nodes"
    return ""


def _bound_variables(conjunct: Conjunct, vocabulary: Vocabulary) -> set[str]:
    positive = [literal for sign, literal in conjunct if sign and isinstance(literal, Atom)]
    bound: set[str] = set()
    changed = True
    while changed:
        before = len(bound)
        for atom in positive:
            predicate = vocabulary.get(atom.predicate)
            if predicate is None:
                continue
            if predicate.arity == 1 and predicate.has("unique"):
                bound.add(atom.args[0])
            if predicate.arity == 2 and predicate.has("function") and atom.args[0] in bound:
                bound.add(atom.args[1])
            if predicate.arity == 2 and predicate.has("invfunction") and atom.args[1] in bound:
                bound.add(atom.args[0])
        changed = len(bound) > before
    return bound
