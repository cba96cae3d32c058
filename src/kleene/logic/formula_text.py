"""Formulas as TVP text, with no more parentheses than the grammar needs."""

from __future__ import annotations

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

# How tightly an operator binds; quantifiers reach as far right as possible.
_QUANTIFIER, _IFF, _OR, _AND, _NOT, _ATOM = range(6)


def formula_text(f: Formula) -> str:
    """The formula in TVP syntax; parsing the text gives the same formula."""
    return _text(f)[0]


def _text(f: Formula) -> tuple[str, int]:
    match f:
        case Const(value):
            return str(value), _ATOM
        case Atom(predicate, args):
            return f"{predicate}({', '.join(args)})", _ATOM
        case Equal(left, right):
            return f"{left} == {right}", _ATOM
        case Not(Equal(left, right)):
            return f"{left} != {right}", _ATOM
        case Not(body):
            return "!" + _operand_text(body, _NOT), _NOT
        case And(left, right):
            return f"{_operand_text(left, _AND)} & {_operand_text(right, _AND + 1)}", _AND
        case Or(Equal(a, b), Closure(c, d, "__v1", "__v2", Atom(p, ("__v1", "__v2")))) if (a, b) == (c, d):
            return f"{p}*({a}, {b})", _ATOM
        case Or(left, right):
            return f"{_operand_text(left, _OR)} | {_operand_text(right, _OR + 1)}", _OR
        case Iff(left, right):
            return f"{_operand_text(left, _IFF)} <-> {_operand_text(right, _IFF + 1)}", _IFF
        case IfThenElse(condition, then, otherwise):
            return f"({_text(condition)[0]} ? {_text(then)[0]} : {_text(otherwise)[0]})", _ATOM
        case Exists() | Forall():
            return _quantified_text(f)
        case Closure(left, right, "__v1", "__v2", Atom(p, ("__v1", "__v2"))):
            return f"{p}+({left}, {right})", _ATOM
        case Closure(left, right, sub_left, sub_right, body):
            return f"TC({left}, {right})({sub_left}, {sub_right}) {_text(body)[0]}", _QUANTIFIER
    raise TypeError(f"not a formula: {type(f).__name__}")


def _quantified_text(f: Exists | Forall) -> tuple[str, int]:
    variables = []
    body: Formula = f
    while type(body) is type(f):
        variables.append(body.variable)
        body = body.body
    letter = "E" if isinstance(f, Exists) else "A"
    return f"{letter}({', '.join(variables)}) {_text(body)[0]}", _QUANTIFIER


def _operand_text(f: Formula, level: int) -> str:
    """The text of an operand, in parentheses if it binds more loosely than its place allows."""
    text, own = _text(f)
    return text if own >= level else f"({text})"
