"""Which variables of a formula have at most one value among all its solutions.

Needed to see that an action adds or removes at most one edge ("unit change", docs/concepts/differencing.md). The
facts come from the properties `unique`, `function` and `invfunction`, from equalities and conjunctions. Each
determined variable is described by terms such as ``x`` (the node of pointer x), ``n(x)`` or ``~n(x)`` (the
n-successor, n-predecessor); a disjunction determines a variable only if both sides determine it by the same
term.
"""

from __future__ import annotations

from collections.abc import Collection

from kleene.logic.formula import (
    And,
    Atom,
    Equal,
    Exists,
    Forall,
    Formula,
    IfThenElse,
    Or,
)
from kleene.logic.vocabulary import Vocabulary
from kleene.transformers.differencing.simplify import operands

_Terms = dict[str, frozenset[str]]
_DEPTH = 8  # A term nests at most this often; real programs need two or three.


def is_determined(
    f: Formula, variables: Collection[str], vocabulary: Vocabulary, unique: frozenset[str] = frozenset()
) -> bool:
    """True only if all solutions of f agree on every one of the variables; f has negations at literals only.

    Other free variables of f are constants (of the action's precondition). `unique` are further predicates
    that hold for at most one node.
    """
    constants = {v: frozenset((f"'{v}",)) for v in f.free if v not in variables}
    terms = _Analysis(vocabulary, unique).solve(f, constants)
    return all(v in f.free and terms.get(v) for v in variables)


class _Analysis:
    def __init__(self, vocabulary: Vocabulary, unique: frozenset[str]) -> None:
        self._vocabulary = vocabulary
        self._unique = unique

    def _has(self, predicate: str, prop: str) -> bool:
        known = self._vocabulary.get(predicate)
        return known is not None and known.has(prop)

    def solve(self, f: Formula, known: _Terms) -> _Terms:
        """The variables that f determines, given those that its context determines."""
        match f:
            case Exists(variable, body):
                inner = self.solve(body, {v: t for v, t in known.items() if v != variable})
                return {v: t for v, t in inner.items() if v != variable} | _at(known, variable)
            case Forall():
                return known
            case Or(left, right):
                return _agreeing(self.solve(left, known), self.solve(right, known))
            case IfThenElse(condition, then, otherwise):
                return _agreeing(self.solve(And(condition, then), known), self.solve(otherwise, known))
            case And():
                return self._conjunction(operands(And, f), known)
        return self._literal(f, known)

    def _conjunction(self, parts: list[Formula], known: _Terms) -> _Terms:
        while True:
            before = known
            for g in parts:
                known = _union(known, self.solve(g, known))
            if known == before:
                return known

    def _literal(self, f: Formula, known: _Terms) -> _Terms:
        match f:
            case Atom(p, (v,)) if p in self._unique or self._has(p, "unique"):
                return _union(known, {v: frozenset((p,))})
            case Atom(p, (v, w)):
                if self._has(p, "function") and v in known:
                    known = _union(known, {w: _apply(p, known[v])})
                if self._has(p, "invfunction") and w in known:
                    known = _union(known, {v: _apply("~" + p, known[w])})
                return known
            case Equal(v, w):
                both = known.get(v, frozenset()) | known.get(w, frozenset())
                return _union(known, {v: both, w: both}) if both else known
        return known


def _at(terms: _Terms, variable: str) -> _Terms:
    return {variable: terms[variable]} if variable in terms else {}


def _apply(function: str, terms: frozenset[str]) -> frozenset[str]:
    return frozenset(f"{function}({t})" for t in terms if t.count("(") < _DEPTH)


def _union(left: _Terms, right: _Terms) -> _Terms:
    result = dict(left)
    for v, terms in right.items():
        if terms:
            result[v] = result.get(v, frozenset()) | terms
    return result


def _agreeing(left: _Terms, right: _Terms) -> _Terms:
    return {v: both for v, terms in left.items() if (both := terms & right.get(v, frozenset()))}
