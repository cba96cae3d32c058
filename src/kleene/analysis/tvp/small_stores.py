"""Updates that a program gives are tried on small stores of the structures that they meet (thesis section 8.1).

A wrong update of an instrumentation predicate need not contradict a rule on a structure with indefinite values, and
where a later focus decides these, coerce takes the contradiction for an infeasible case. On a store nothing is
indefinite: it satisfies all rules, so if the result of the update does not, then the update or a rule is wrong. The
stores are found by a search that decides one indefinite value after another, and lets coerce decide what follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product

from kleene.cfa.graph import Cfa, Edge
from kleene.domains.shape.domain import ShapeDomain
from kleene.domains.shape.wrong_updates import wrong_update
from kleene.structures.layout import layout_for
from kleene.structures.structure import AC, SM, SM_MUST, Structure
from kleene.transformers.action import Action
from kleene.transformers.coerce import Coercer
from kleene.transformers.differencing import Derivation

MOST_INDIVIDUALS = 4
"""Individuals of a store, unless the structure has more nodes: two stand for a summary node where there is room."""
MOST_STORES = 8
"""Stores of one structure: those with many edges come first, and these show most mistakes."""
MOST_DECISIONS = 64
"""Values that the search in one structure decides; a few milliseconds."""
MOST_STRUCTURES = 16
"""Structures that are looked at before each edge, the smallest first."""


@dataclass(frozen=True)
class WrongUpdate:
    """The result of an update on a store, which contradicts a rule."""

    edge: Edge[Action]
    result: Structure


def wrong_updates(
    cfa: Cfa[Action],
    domain: ShapeDomain,
    derivations: Sequence[Derivation],
    structures: Mapping[str, Sequence[Structure]],
) -> list[WrongUpdate]:
    """One for each action whose updates are wrong on a small store of a structure before it."""
    found: dict[Action, WrongUpdate] = {}
    given = {d.action for d in derivations if _gives_updates(d, domain)}
    for edge in cfa.edges:
        if edge.label in given and edge.label not in found:
            result = _wrong_result(domain, edge.label, structures[edge.source])
            if result is not None:
                found[edge.label] = WrongUpdate(edge, result)
    return list(found.values())


def _gives_updates(derivation: Derivation, domain: ShapeDomain) -> bool:
    """Whether the program itself gives the update of an instrumentation predicate."""
    derived = {u.predicate for u in derivation.updates}
    names = {u.predicate for u in derivation.action.updates} - derived
    return any(domain.vocabulary[name].definition is not None for name in names)


def _wrong_result(domain: ShapeDomain, action: Action, structures: Sequence[Structure]) -> Structure | None:
    transformer = domain.transformer(action)
    for structure in sorted(structures, key=lambda s: s.size)[:MOST_STRUCTURES]:
        stores = list(islice(small_stores(structure, domain.coercer), MOST_STORES))
        if not domain.may_contradict(action, stores):
            continue
        for store in stores:
            result = wrong_update(transformer, store)
            if result is not None:
                return result
    return None


def small_stores(structure: Structure, coercer: Coercer) -> Iterator[Structure]:
    """Some stores that the structure represents and that satisfy all rules, small ones first."""
    if structure.values[AC] != (1 << structure.size) - 1:
        return
    most = max(MOST_INDIVIDUALS, structure.size)
    choices = [(1, 2) if structure.is_summary(u) else (1,) for u in structure.nodes]
    decisions = 0
    for copies in sorted(product(*choices), key=sum):
        if sum(copies) > most:
            return
        waiting = [_unfolded(structure, copies)]
        while waiting and decisions < MOST_DECISIONS:
            decisions += 1
            here = coercer.coerce(waiting.pop())
            if here is None:
                continue
            undecided = _first_undecided(here)
            if undecided is None:
                yield here
            else:
                waiting += (_decided(here, *undecided, value=value) for value in (False, True))


def _unfolded(structure: Structure, copies: Sequence[int]) -> Structure:
    """The structure with individuals in place of nodes: as many as `copies` says, with the values of the node."""
    origin = [u for u in structure.nodes for _ in range(copies[u])]
    size = len(origin)
    old = structure.layout
    values = [0] * len(structure.values)
    new = layout_for(size)
    for number, p in enumerate(structure.vocabulary):
        for nodes in product(range(size), repeat=p.arity):
            bit, there = 1 << new.bit(nodes), old.bit(tuple(origin[u] for u in nodes))
            for rail in (2 * number, 2 * number + 1):
                if structure.values[rail] >> there & 1:
                    values[rail] |= bit
    values[SM_MUST] = values[SM] = 0
    return Structure(structure.vocabulary, size, tuple(values))


def _first_undecided(structure: Structure) -> tuple[int, int] | None:
    """The number of a predicate and the bit of a tuple whose value is 1/2; core predicates first."""
    numbers = sorted(range(len(structure.vocabulary)), key=lambda i: _is_defined(structure, i))
    for number in numbers:
        open_bits = structure.values[2 * number] ^ structure.values[2 * number + 1]
        if open_bits:
            return number, open_bits & -open_bits
    return None


def _is_defined(structure: Structure, number: int) -> bool:
    return structure.vocabulary.predicates[number].definition is not None


def _decided(structure: Structure, number: int, bit: int, *, value: bool) -> Structure:
    values = list(structure.values)
    if value:
        values[2 * number] |= bit
    else:
        values[2 * number + 1] &= ~bit
    return Structure(structure.vocabulary, structure.size, tuple(values))
