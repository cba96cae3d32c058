"""The simplifier of derived updates: every step keeps the three-valued value on every structure.

Negations are pushed inwards, constants vanish, repetitions vanish, quantifiers are narrowed to the conjuncts
(`A`: disjuncts) that mention their variable. Classical laws that Kleene logic lacks (``f & !f`` is not 0) are
not used, so a simplified update has the value of the plain one (docs/concepts/differencing.md; TVLA keeps
``g & !g`` too). An empty universe is possible, so ``E(v) 1`` stays.

With `fresh_nodes` (actions with `%new` and no `%clone`) one more fact is used: every declared predicate is 0
on a tuple with a new node, and `isNew` is definite. So ``isNew(w) & f`` is ``isNew(w) & f'`` with the atoms
of f that mention w replaced by 0, and dually for ``!isNew(w) | f``. This too is exact in three values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

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
)
from kleene.logic.transform import rebuild, substitute
from kleene.logic.vocabulary import BUILTIN, IS_NEW

BUILTIN_NAMES = frozenset(p.name for p in BUILTIN)


def operands(kind: type[Formula], f: Formula) -> list[Formula]:
    """The operands of a chain of `And` (or `Or`), left to right; [f] if f is no such chain."""
    result: list[Formula] = []
    stack = [f]
    while stack:
        g = stack.pop()
        if type(g) is kind:
            stack.extend(reversed(g.children))
        else:
            result.append(g)
    return result


def if_then_else(condition: Formula, then: Formula, otherwise: Formula) -> Formula:
    """``condition ? then : otherwise`` in its simplest form; `p | otherwise` for ``p ? 1 : otherwise``."""
    if condition is TRUE or then is otherwise:
        return then
    if condition is FALSE:
        return otherwise
    if otherwise is FALSE:
        return conj(condition, then)
    if then is TRUE:
        return disj(condition, otherwise)
    if then is FALSE:
        return conj(neg(condition), otherwise)
    if otherwise is TRUE:
        return disj(neg(condition), then)
    return IfThenElse(condition, then, otherwise)


_MEMO: dict[tuple[bool, bool], dict[int, Formula]] = {(a, b): {} for a in (False, True) for b in (False, True)}
"""By the facts used, the sign, and the number of a formula. Formulas are kept for ever, and so are their simplified
forms: derivations share most of their parts."""


class Simplifier:
    """Simplification, with or without the facts about new nodes."""

    def __init__(self, *, fresh_nodes: bool = False) -> None:
        self._fresh_nodes = fresh_nodes
        self._memo = _MEMO[fresh_nodes, False], _MEMO[fresh_nodes, True]

    def __call__(self, f: Formula, *, positive: bool = True) -> Formula:
        """`f` (its negation if not `positive`) with all negations at literals."""
        memo = self._memo[positive]
        result = memo.get(f.number)
        if result is None:
            result = memo[f.number] = self._node(f, positive)
        return result

    def _node(self, f: Formula, positive: bool) -> Formula:
        given = type(f)  # the most frequent classes first, without matching
        if given is And or given is Or:
            first, second = f.children
            kind = And if (given is And) is positive else Or
            return self._chain(kind, self(first, positive=positive), self(second, positive=positive))
        if given is Atom or given is Const:
            return f if positive else neg(f)
        if given is Not:
            return self(f.children[0], positive=not positive)
        match f:
            case Equal(left, right):
                literal = TRUE if left == right else f
                return literal if positive else neg(literal)
            case Iff(left, right):
                return self._iff(self(left), self(right, positive=positive))
            case IfThenElse(condition, then, otherwise):
                branches = self(then, positive=positive), self(otherwise, positive=positive)
                return if_then_else(self(condition), *branches)
            case Exists(variable, body) | Forall(variable, body):
                quantifier = Exists if isinstance(f, Exists) is positive else Forall
                return self._narrow(quantifier, variable, self(body, positive=positive))
            case Closure(left, right, a, b, body):
                step = self(body)
                closure = step if step is FALSE else Closure(left, right, a, b, step)
                return closure if positive else neg(closure)
        raise TypeError(f"not a formula: {type(f).__name__}")

    def _iff(self, left: Formula, right: Formula) -> Formula:
        for one, other in ((left, right), (right, left)):
            if one is TRUE:
                return other
            if one is FALSE:
                return self(other, positive=False)
        result: Formula = Iff(left, right)
        return result

    def _narrow(self, quantifier: type[Formula], variable: str, body: Formula) -> Formula:
        """Narrow ``E(v) a & b`` to ``a & E(v) b`` if v is not free in a (but is in b); dually for `A`."""
        if body is (FALSE if quantifier is Exists else TRUE):
            return body
        kind: type[Formula] = And if quantifier is Exists else Or
        parts = operands(kind, body)
        if self._fresh_nodes:
            point = _one_point(kind, variable, parts)
            if point is not None:
                build = conj if kind is And else disj
                return self(build(*(substitute(g, {variable: point}) for g in parts)))
        outside = [g for g in parts if variable not in g.free]
        inside = [g for g in parts if variable in g.free]
        if not outside or not inside:
            return _quantifier(quantifier, variable, body)
        build = conj if kind is And else disj
        return build(*outside, _quantifier(quantifier, variable, build(*inside)))

    def _chain(self, kind: type[Formula], left: Formula, right: Formula) -> Formula:
        build: Callable[..., Formula] = conj if kind is And else disj
        short = build(left, right)
        if type(short) is not kind or short is left or short is right:
            return short
        known = dict.fromkeys(operands(kind, left))
        added = operands(kind, right)
        if any(g in known for g in added):
            return self._chain(kind, left, build(*(g for g in added if g not in known)))
        if self._fresh_nodes:
            return self._at_fresh_nodes(kind, [*known, *added], short)
        return short

    def _at_fresh_nodes(self, kind: type[Formula], parts: list[Formula], chain: Formula) -> Formula:
        """Use ``isNew(w)`` among the conjuncts (``!isNew(w)`` among disjuncts) to specialise the others."""
        changed = parts
        for w in dict.fromkeys(_fresh_literals(kind, parts)):
            marker: Formula = Atom(IS_NEW.name, (w,)) if kind is And else Not(Atom(IS_NEW.name, (w,)))
            changed = [g if g is marker else self(at_fresh_node(g, w)) for g in changed]
        if changed == parts:
            return chain
        result = changed[0]
        for g in changed[1:]:
            result = self._chain(kind, result, g)
        return result


def _quantifier(kind: type[Formula], variable: str, body: Formula) -> Formula:
    result: Formula = (Exists if kind is Exists else Forall)(variable, body)
    return result


def _one_point(kind: type[Formula], variable: str, parts: list[Formula]) -> str | None:
    """The w of ``E(v) isNew(v) & v == w & ...``; the rest at w is as good, or sharper on summary nodes."""
    if variable not in _fresh_literals(kind, parts):
        return None
    for g in parts:
        literal = g if kind is And else g.body if isinstance(g, Not) else None
        if isinstance(literal, Equal) and variable in literal.free:
            return literal.right if literal.left == variable else literal.left
    return None


def _fresh_literals(kind: type[Formula], parts: Iterable[Formula]) -> Iterable[str]:
    for g in parts:
        literal = g if kind is And else g.body if isinstance(g, Not) else None
        if isinstance(literal, Atom) and literal.predicate == IS_NEW.name:
            yield literal.args[0]


def at_fresh_node(f: Formula, node: str) -> Formula:
    """The formula for the case that variable `node` is a node just made by `%new`; not yet simplified."""
    memo: dict[Formula, Formula] = {}

    def visit(g: Formula) -> Formula:
        if node not in g.free:
            return g
        if g not in memo:
            memo[g] = special(g)
        return memo[g]

    def special(g: Formula) -> Formula:
        match g:
            case Atom(predicate, _):
                if predicate == IS_NEW.name:
                    return TRUE
                return g if predicate in BUILTIN_NAMES else FALSE
            case Equal(_, _):
                return g
            case Closure(left, right, a, b, body):
                # A path from or to a new node would have a step at it.
                if (left == node and is_strict(body, a)) or (right == node and is_strict(body, b)):
                    return FALSE
                if node in (a, b):
                    return g  # Inside, the name stands for another node.
        return rebuild(g, tuple(visit(c) for c in g.children))

    return visit(f)


@lru_cache(maxsize=10_000)
def is_strict(f: Formula, node: str, *, value: bool = False) -> bool:
    """True only if f has the definite `value` whenever variable `node` is a node just made by `%new`."""
    match f:
        case Const(_):
            return f is (TRUE if value else FALSE)
        case Atom(predicate, args):
            if predicate == IS_NEW.name:
                return value and node in args
            return not value and node in args and predicate not in BUILTIN_NAMES
        case Not(body):
            return is_strict(body, node, value=not value)
        case And(left, right) | Or(left, right):
            combine = any if isinstance(f, And) is not value else all
            return combine(is_strict(g, node, value=value) for g in (left, right))
        case Exists(variable, body):
            # An existential is 0 over an empty universe too; a universal is 1 there.
            return variable != node and not value and is_strict(body, node)
        case Forall(variable, body):
            return variable != node and value and is_strict(body, node, value=True)
        case Closure(left, right, a, b, body):
            ends = [c for c, end in ((a, left), (b, right)) if end == node]
            if node not in (a, b):
                ends.append(node)
            return not value and any(is_strict(body, c) for c in ends)
    return False
