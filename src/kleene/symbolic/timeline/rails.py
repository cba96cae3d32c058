"""Formulas with 1/2 as two formulas without: when must it hold, and when may it hold."""

from __future__ import annotations

from kleene.logic.formula import (
    FALSE,
    TRUE,
    UNKNOWN,
    And,
    Closure,
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


def must(f: Formula) -> Formula:
    """Holds only if the formula does, whatever its 1/2 stand for."""
    return _rail(f, possible=False) if has_unknown(f) else f


def may(f: Formula) -> Formula:
    """Holds if the formula does for some reading of its 1/2."""
    return _rail(f, possible=True) if has_unknown(f) else f


def has_unknown(f: Formula) -> bool:
    return any(g is UNKNOWN for g in subformulas(f))


def _rail(f: Formula, *, possible: bool) -> Formula:
    match f:
        case Not(body):
            return neg(_rail(body, possible=not possible))
        case And(a, b):
            return conj(_rail(a, possible=possible), _rail(b, possible=possible))
        case Or(a, b):
            return disj(_rail(a, possible=possible), _rail(b, possible=possible))
        case Iff(a, b):
            both = conj(_rail(a, possible=possible), _rail(b, possible=possible))
            none = conj(_rail(neg(a), possible=possible), _rail(neg(b), possible=possible))
            return disj(both, none)
        case IfThenElse(c, a, b):
            test, other = _rail(c, possible=possible), _rail(neg(c), possible=possible)
            return disj(conj(test, _rail(a, possible=possible)), conj(other, _rail(b, possible=possible)))
        case Exists(v, body) | Forall(v, body):
            return type(f)(v, _rail(body, possible=possible))
        case Closure(a, b, v, w, body):
            return Closure(a, b, v, w, _rail(body, possible=possible))
    if f is UNKNOWN:
        return TRUE if possible else FALSE
    return f
