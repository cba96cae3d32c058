"""Disjunctive normal form of conditions over arrays and linear integers, by literals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import z3

MOST_CASES = 64
"""Disjuncts of a formula: a larger one is not split."""


class TooManyCases(Exception):
    """A condition falls into more cases than are looked at."""


Literals = dict[int, Any]
"""Literals by the number that Z3 gives them."""


def simplify_formula(formula: Any) -> Any:
    """Simplify a formula: resolves reads after writes, and keeps the form of comparisons."""
    return z3.simplify(formula, arith_lhs=False, eq2ineq=False)


def cases(formulas: Iterable[Any]) -> list[list[Any]]:
    """The conjunction as a disjunction of conjunctions of literals without `if`; contradictory ones are left out."""
    disjuncts: list[Literals] = []
    waiting: list[tuple[list[Any], Literals]] = [([simplify_formula(f) for f in formulas], {})]
    while waiting:
        todo, literals = waiting.pop()
        branched = _saturate(todo, literals)
        if branched is None:
            continue
        if not branched:
            disjuncts.append(literals)
            if len(disjuncts) > MOST_CASES:
                raise TooManyCases
            continue
        for branch in branched:
            waiting.append(([*branch, *todo], dict(literals)))
        if len(waiting) > MOST_CASES:
            raise TooManyCases
    return [list(literals.values()) for literals in disjuncts]


def _saturate(todo: list[Any], literals: Literals) -> list[list[Any]] | None:
    """Move formulas to literals until one must branch; returns its branches, [] when done, None if contradictory."""
    while todo:
        formula = todo.pop()
        if z3.is_true(formula):
            continue
        if z3.is_false(formula):
            return None
        if z3.is_and(formula):
            todo.extend(formula.children())
            continue
        if z3.is_or(formula):
            return [[child] for child in formula.children()]
        if z3.is_app_of(formula, z3.Z3_OP_ITE):
            condition, yes, no = formula.children()
            return [[condition, yes], [z3.Not(condition), no]]
        if z3.is_not(formula) and not _is_atom(formula.arg(0)):
            branched = _negate(formula.arg(0), todo)
            if branched:
                return branched
            continue
        choice = _choice(formula)
        if choice is not None:
            condition, yes, no = _branches(choice)
            return [
                [condition, simplify_formula(z3.substitute(formula, (choice, yes)))],
                [simplify_formula(z3.Not(condition)), simplify_formula(z3.substitute(formula, (choice, no)))],
            ]
        opposite = formula.arg(0) if z3.is_not(formula) else z3.Not(formula)
        if opposite.get_id() in literals:
            return None
        literals[formula.get_id()] = formula
    return []


def _is_atom(formula: Any) -> bool:
    connectives = (z3.Z3_OP_AND, z3.Z3_OP_OR, z3.Z3_OP_NOT, z3.Z3_OP_ITE, z3.Z3_OP_IMPLIES)
    if any(z3.is_app_of(formula, kind) for kind in connectives):
        return False
    return not (z3.is_eq(formula) and z3.is_bool(formula.arg(0)))


def _negate(formula: Any, todo: list[Any]) -> list[list[Any]]:
    """Push a negation inwards: either more to do, or branches."""
    children = formula.children()
    if z3.is_not(formula):
        todo.append(children[0])
    elif z3.is_or(formula):
        todo.extend(z3.Not(child) for child in children)
    elif z3.is_and(formula):
        return [[z3.Not(child)] for child in children]
    elif z3.is_implies(formula):
        todo.extend([children[0], z3.Not(children[1])])
    elif z3.is_eq(formula):
        return [[children[0], z3.Not(children[1])], [z3.Not(children[0]), children[1]]]
    else:
        condition, yes, no = children
        return [[condition, z3.Not(yes)], [z3.Not(condition), z3.Not(no)]]
    return []


def _choice(formula: Any) -> Any:
    """An `if`, or a read of a written array, inside a literal, whose own condition has none."""
    choice = None
    stack = [formula]
    while stack:
        node = stack.pop()
        if z3.is_app_of(node, z3.Z3_OP_ITE):
            choice, stack = node, [node.arg(0)]
        elif z3.is_select(node) and z3.is_store(node.arg(0)):
            choice, stack = node, [node.arg(0).arg(1), node.arg(1)]
        else:
            stack.extend(node.children())
    return choice


def _branches(choice: Any) -> tuple[Any, Any, Any]:
    """Condition, and the values if it holds and if not."""
    if z3.is_select(choice):
        (array, written, value), read = choice.arg(0).children(), choice.arg(1)
        return simplify_formula(written == read), value, z3.Select(array, read)
    condition, yes, no = choice.children()
    return condition, yes, no


def constants(formula: Any) -> dict[int, Any]:
    """The constants in a formula, by number."""
    result: dict[int, Any] = {}
    seen: set[int] = set()
    stack = [formula]
    while stack:
        node = stack.pop()
        if node.get_id() in seen:
            continue
        seen.add(node.get_id())
        if z3.is_const(node) and node.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            result[node.get_id()] = node
        stack.extend(node.children())
    return result
