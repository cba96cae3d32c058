"""Negation, prenex and disjunctive normal forms, as rule generation (thesis 5.2) and focus (6.1) need them.

Transitive closures count as atoms here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count

from kleene.diagnostics import KleeneError
from kleene.logic.formula import (
    FALSE,
    TRUE,
    And,
    Const,
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
from kleene.logic.transform import substitute

Clause = tuple[Formula, ...]
"""A conjunction of literals."""


def nnf(f: Formula, *, negated: bool = False) -> Formula:
    """Negations only at atoms, equalities and closures; ``<->`` and if-then-else expanded."""
    match f:
        case Const():
            return neg(f) if negated else f
        case Not(body):
            return nnf(body, negated=not negated)
        case And(a, b):
            build = disj if negated else conj
            return build(nnf(a, negated=negated), nnf(b, negated=negated))
        case Or(a, b):
            build = conj if negated else disj
            return build(nnf(a, negated=negated), nnf(b, negated=negated))
        case Iff(a, b):
            same = disj(conj(nnf(a), nnf(b)), conj(nnf(a, negated=True), nnf(b, negated=True)))
            different = disj(conj(nnf(a), nnf(b, negated=True)), conj(nnf(a, negated=True), nnf(b)))
            return different if negated else same
        case IfThenElse(c, a, b):
            then = conj(nnf(c), nnf(a, negated=negated))
            return disj(then, conj(nnf(c, negated=True), nnf(b, negated=negated)))
        case Exists(v, body) | Forall(v, body):
            quantifier = Exists if isinstance(f, Exists) is not negated else Forall
            return quantifier(v, nnf(body, negated=negated))
    return Not(f) if negated else f


@dataclass(frozen=True, slots=True)
class Prenex:
    """Leading quantifiers, outermost first ('E' or 'A' with a variable), and the matrix as a disjunction of clauses."""

    quantifiers: tuple[tuple[str, str], ...]
    clauses: tuple[Clause, ...]


MOST_CLAUSES = 2000
"""A normal form with more is of no use to anybody."""


class TooManyClauses(KleeneError):
    """The disjunctive normal form is too large."""

    def __init__(self) -> None:
        super().__init__(f"a formula whose disjunctive normal form has more than {MOST_CLAUSES} clauses")


def prenex_dnf(f: Formula) -> Prenex:
    """Prenex disjunctive normal form; bound variables get names of their own. Raises TooManyClauses."""
    taken = set(f.free)
    numbers = count()
    quantifiers: list[tuple[str, str]] = []

    def fresh() -> str:
        name = next(n for i in numbers if (n := f"w{i}") not in taken)
        taken.add(name)
        return name

    def pull(g: Formula) -> Formula:
        match g:
            case Exists(v, body) | Forall(v, body):
                name = fresh()
                quantifiers.append(("E" if isinstance(g, Exists) else "A", name))
                return pull(substitute(body, {v: name}))
            case And(a, b):
                return conj(pull(a), pull(b))
            case Or(a, b):
                return disj(pull(a), pull(b))
        return g

    matrix = pull(nnf(f))
    return Prenex(tuple(quantifiers), clauses_of(matrix))


def clauses_of(f: Formula) -> tuple[Clause, ...]:
    """The disjuncts of a quantifier-free formula in negation normal form; contradictory ones are left out."""
    match f:
        case Const():
            return () if str(f) == "0" else ((),) if str(f) == "1" else ((f,),)
        case Or(a, b):
            return tuple(dict.fromkeys(clauses_of(a) + clauses_of(b)))
        case And(a, b):
            left, right = clauses_of(a), clauses_of(b)
            if len(left) * len(right) > MOST_CLAUSES:
                raise TooManyClauses
            joined = (_join(x, y) for x in left for y in right)
            return tuple(dict.fromkeys(c for c in joined if c is not None))
    return ((f,),)


def _join(a: Clause, b: Clause) -> Clause | None:
    both = tuple(dict.fromkeys(a + b))
    return None if any(neg(literal) in both for literal in both) else both


def conjuncts(f: Formula) -> list[Formula]:
    """The operands of nested conjunctions, left to right."""
    parts: list[Formula] = []
    stack = [f]
    while stack:
        g = stack.pop()
        if isinstance(g, And):
            stack += (g.right, g.left)
        else:
            parts.append(g)
    return parts


def settled(f: Formula, known: Mapping[Formula, bool]) -> Formula:
    """The formula where some of its parts are known; connectives of constants vanish, quantifiers are left alone."""
    if f in known:
        return TRUE if known[f] else FALSE
    match f:
        case Not(body):
            return neg(settled(body, known))
        case And(a, b):
            return conj(settled(a, known), settled(b, known))
        case Or(a, b):
            return disj(settled(a, known), settled(b, known))
        case Iff(a, b):
            one, other = settled(a, known), settled(b, known)
            if one in (TRUE, FALSE):
                return other if one is TRUE else neg(other)
            return (one if other is TRUE else neg(one)) if other in (TRUE, FALSE) else Iff(one, other)
        case IfThenElse(c, a, b):
            condition, then, otherwise = (settled(g, known) for g in (c, a, b))
            if condition in (TRUE, FALSE):
                return then if condition is TRUE else otherwise
            return IfThenElse(condition, then, otherwise)
    return f
