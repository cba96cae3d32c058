"""Axioms that hold because universes are finite; without them a query may only have infinite models.

If every element of a finite set has a successor in it and none has two predecessors, then there are as many steps as
elements: every element has exactly one successor and one predecessor. A transitive relation on a non-empty finite set
has an element that only leads to elements that lead back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from kleene.logic.formula import Atom, Equal, Formula, conj, disj, exists, forall, neg
from kleene.smt.closures import Fields
from kleene.smt.universe import Universe, in_domain


def finiteness(universe: Universe, fields: Fields, symbols: Iterable[str]) -> list[Formula]:
    """The axioms for the symbols of a query, for all individuals together and for each cell."""
    axioms: list[Formula] = []
    labels = ["", *(f"c{i}" for i, cell in enumerate(universe.cells) if not cell.single)]
    for symbol in sorted(set(symbols)):
        for label in labels:
            variables = tuple(in_domain(v, label) if label else v for v in ("a", "b", "c"))
            if symbol in fields.inverse_functions:
                axioms.append(_as_many(variables, partial(_edge, symbol)))
            if symbol in fields.functions:
                axioms.append(_as_many(variables, partial(_edge_back, symbol)))
            if symbol in fields.transitive:
                axioms += extremes(variables[:2], partial(_edge, symbol))
    return axioms


def _edge(symbol: str, x: str, y: str) -> Formula:
    return Atom(symbol, (x, y))


def _edge_back(symbol: str, x: str, y: str) -> Formula:
    return Atom(symbol, (y, x))


def _as_many(variables: tuple[str, ...], step: Callable[[str, str], Formula]) -> Formula:
    """No element has two predecessors. If each has a successor, each has one successor and one predecessor."""
    a, b, c = variables
    one = forall([a, b, c], disj(neg(step(a, b)), neg(step(a, c)), Equal(b, c)))
    return disj(exists([a], forall([b], neg(step(a, b)))), conj(one, forall([b], exists([a], step(a, b)))))


def extremes(variables: tuple[str, ...], ahead: Callable[[str, str], Formula]) -> list[Formula]:
    """Every finite non-empty set has elements from which, and to which, the relation leads only within a cycle."""
    v, w = variables
    some = exists([v], Equal(v, v))
    return [
        disj(neg(some), exists([v], forall([w], disj(neg(ahead(v, w)), ahead(w, v))))),
        disj(neg(some), exists([v], forall([w], disj(neg(ahead(w, v)), ahead(v, w))))),
    ]
