"""The free variables of formulas as they are written (thesis Appendix C.3).

They do not depend on sets: a composite over an empty set has the variables of its body here, and none once it is 0
or 1 (Appendix C.5.5).
"""

from __future__ import annotations

from kleene.tvp.syntax import (
    AtomSyntax,
    ChainSyntax,
    ClosureSyntax,
    CompositeSyntax,
    ConditionalSyntax,
    ConstSyntax,
    EqualSyntax,
    FormulaSyntax,
    NotSyntax,
    QuantifiedSyntax,
    StarSyntax,
)


def free_variables(f: FormulaSyntax) -> tuple[str, ...]:
    """The free variables in order of first mention."""
    return tuple(dict.fromkeys(_variables(f)))


def _variables(f: FormulaSyntax) -> list[str]:
    match f:
        case ConstSyntax():
            return []
        case AtomSyntax(_, args):
            return list(args)
        case EqualSyntax(left, right):
            return [left, right]
        case StarSyntax(_, _, left, right):
            return [left, right]
        case NotSyntax(body):
            return _variables(body)
        case ChainSyntax(_, operands):
            return [v for operand in operands for v in _variables(operand)]
        case ConditionalSyntax(condition, then, otherwise):
            return _variables(condition) + _variables(then) + _variables(otherwise)
        case QuantifiedSyntax(_, variables, body):
            return [v for v in _variables(body) if v not in variables]
        case ClosureSyntax(left, right, sub_left, sub_right, body):
            return [left, right, *(v for v in _variables(body) if v not in (sub_left, sub_right))]
        case CompositeSyntax(_, body):
            return _variables(body)
