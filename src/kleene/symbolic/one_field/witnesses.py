"""Existential formulas with a pointer to each witness (Skolem constants).

``E(v) f`` is ``(E(u) w(u)) & f`` with a new predicate w that at most one individual has, and with w's individual in
place of v. A store satisfies the one iff w can be chosen such that it satisfies the other. What relates a witness to
another individual is then a condition on that individual alone, also ``!n*(v, u)``. So formulas are read that have the
form of the logic of section 3.1 (existential quantifiers, then a universal one), and other combinations of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from kleene.logic.formula import (
    TRUE,
    And,
    Atom,
    Closure,
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
    exists,
    neg,
)
from kleene.logic.transform import fresh_name, substitute

WITNESS = "witness"
"""The name of the predicates that point to witnesses, without a number."""


class Witnesses:
    """Names witnesses in formulas; `predicates` are the predicates that point to them."""

    def __init__(self) -> None:
        self.predicates: list[str] = []

    def named(self, f: Formula, pointers: Mapping[str, str] | None = None) -> Formula:
        """The formula with pointers to the witnesses of its existential quantifiers that no universal one encloses."""
        pointers = pointers or {}
        match f:
            case And(a, b):
                return conj(self.named(a, pointers), self.named(b, pointers))
            case Or(a, b) if not _is_reflexive(f):
                return disj(self.named(a, pointers), self.named(b, pointers))
            case Exists(v, body):
                pointer = f"{WITNESS} {len(self.predicates)}"
                self.predicates.append(pointer)
                there = Exists(v, Atom(pointer, (v,)))
                return conj(there, self.named(body, {**pointers, v: pointer}))
            case Not(Forall(v, body)):
                return self.named(Exists(v, neg(body)), pointers)
            case Not(And(a, b)):
                return disj(self.named(neg(a), pointers), self.named(neg(b), pointers))
            case Not(Or(a, b)) if not _is_reflexive(f.body):
                return conj(self.named(neg(a), pointers), self.named(neg(b), pointers))
        return pointed(f, pointers)


def pointed(f: Formula, pointers: Mapping[str, str]) -> Formula:
    """The formula with the individuals of pointers in place of free variables."""
    used = {v: p for v, p in pointers.items() if v in f.free}
    if not used:
        return f
    if _is_reflexive(f):
        return _about(f, used)
    match f:
        case Atom() | Closure():
            return _about(f, used)
        case Equal(a, b):
            if a == b:
                return TRUE
            return (
                _about(f, used)
                if a in used and b in used
                else Atom(used[a if a in used else b], (b if a in used else a,))
            )
        case Not(body):
            return neg(pointed(body, used))
        case And(a, b):
            return conj(pointed(a, used), pointed(b, used))
        case Or(a, b):
            return disj(pointed(a, used), pointed(b, used))
        case Iff(a, b):
            return Iff(pointed(a, used), pointed(b, used))
        case IfThenElse(c, a, b):
            return IfThenElse(pointed(c, used), pointed(a, used), pointed(b, used))
        case Exists(v, body) | Forall(v, body):
            return type(f)(v, pointed(body, {u: p for u, p in used.items() if u != v}))
    raise TypeError(f"not a formula: {type(f).__name__}")


def _is_reflexive(f: Formula) -> bool:
    """Whether the formula is ``n*(v, w)``."""
    match f:
        case Or(Equal(a, b), Closure(c, d)) | Or(Closure(c, d), Equal(a, b)):
            return (a, b) == (c, d)
    return False


def _about(f: Formula, used: Mapping[str, str]) -> Formula:
    """An atom about the individuals of pointers."""
    names: dict[str, str] = {}
    for v in used:
        names[v] = fresh_name("u", {*f.free, *names.values()})
    return exists(names.values(), conj(*(Atom(used[v], (u,)) for v, u in names.items()), substitute(f, names)))
