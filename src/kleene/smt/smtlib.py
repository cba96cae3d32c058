"""Expanded formulas as SMT-LIB 2.6 text: for `--dump-smt`, for bug reports, and as the input of cvc5."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kleene.logic.formula import And, Atom, Const, Equal, Exists, Forall, Formula, Iff, Not, Or, subformulas
from kleene.logic.kleene import Kleene
from kleene.smt.expand import sort_of


def symbol(name: str) -> str:
    """A quoted symbol; bars and backslashes cannot occur in one."""
    return "|" + name.replace("|", "!").replace("\\", "!") + "|"


def sort_name(cell: int) -> str:
    return f"Cell{cell}"


def term(f: Formula) -> str:
    """A formula as a term. Shared subformulas are printed again: expanded queries are small."""
    match f:
        case Const(value):
            return "true" if value is Kleene.TRUE else "false"
        case Atom(name, args):
            return f"({symbol(name)} {' '.join(map(symbol, args))})" if args else symbol(name)
        case Equal(a, b):
            return f"(= {symbol(a)} {symbol(b)})"
        case Not(body):
            return f"(not {term(body)})"
        case And(a, b):
            return f"(and {term(a)} {term(b)})"
        case Or(a, b):
            return f"(or {term(a)} {term(b)})"
        case Iff(a, b):
            return f"(= {term(a)} {term(b)})"
        case Exists(v, body) | Forall(v, body):
            word = "exists" if isinstance(f, Exists) else "forall"
            return f"({word} (({symbol(v)} {sort_name(sort_of(v))})) {term(body)})"
    raise ValueError(f"no SMT-LIB form for '{f}'")


def declarations(formulas: Iterable[Formula], cells: int) -> list[str]:
    """The sorts, constants and predicates of expanded formulas."""
    lines = [f"(declare-sort {sort_name(c)} 0)" for c in range(cells)]
    constants: dict[str, int] = {}
    predicates: dict[str, tuple[int, ...]] = {}
    for f in formulas:
        constants |= {v: sort_of(v) for v in f.free}
        predicates |= {g.predicate: tuple(sort_of(v) for v in g.args) for g in subformulas(f) if isinstance(g, Atom)}
    lines += [f"(declare-const {symbol(v)} {sort_name(s)})" for v, s in sorted(constants.items())]
    lines += [
        f"(declare-fun {symbol(p)} ({' '.join(sort_name(s) for s in sorts)}) Bool)"
        for p, sorts in sorted(predicates.items())
    ]
    return lines


def script(assertions: Sequence[Formula], assumptions: Sequence[Formula], cells: int, comment: str = "") -> str:
    """A whole query; assumptions are named, so that a solver can report a core."""
    lines = [f"; {line}" for line in comment.splitlines()]
    lines += ["(set-option :produce-unsat-cores true)", "(set-logic UF)"]
    lines += declarations([*assertions, *assumptions], cells)
    lines += [f"(assert {term(f)})" for f in assertions]
    lines += [f"(assert (! {term(f)} :named |assumption {i}|))" for i, f in enumerate(assumptions)]
    return "\n".join([*lines, "(check-sat)", ""])
