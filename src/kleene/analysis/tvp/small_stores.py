"""Updates that a program gives are tried on small stores of the structures that they meet (thesis section 8.1).

A wrong update of an instrumentation predicate need not contradict a rule on a structure with indefinite values, and
where a later focus decides these, coerce takes the contradiction for an infeasible case. On a store nothing is
indefinite: it satisfies all rules, so if the result of the update does not, then the update or a rule is wrong. The
stores are found by a search that decides one indefinite value after another, and lets coerce decide what follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product

from kleene.cfa.graph import Cfa, Edge
from kleene.domains.shape.domain import ShapeDomain
from kleene.domains.shape.wrong_updates import wrong_update
from kleene.logic.vocabulary import Vocabulary
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
    old, new = structure.layout, layout_for(size)
    spread: dict[int, int] = {0: 0}

    def vector(given: int) -> int:
        known = spread.get(given)
        if known is None:
            known = spread[given] = sum(1 << k for k, u in enumerate(origin) if given >> u & 1)
        return known

    def tensor(given: int, arity: int) -> int:
        if arity < 2:
            return vector(given) if arity else given
        width, wider = old.width ** (arity - 1), new.width ** (arity - 1)
        mask = (1 << width) - 1
        return sum(tensor(given >> u * width & mask, arity - 1) << k * wider for k, u in enumerate(origin))

    arities = (p.arity for p in structure.vocabulary for _ in (0, 1))
    values = [tensor(v, arity) if v else 0 for v, arity in zip(structure.values, arities, strict=True)]
    values[SM_MUST] = values[SM] = 0
    return Structure(structure.vocabulary, size, tuple(values))


@lru_cache(maxsize=4)
def _core_first(vocabulary: Vocabulary) -> tuple[int, ...]:
    """The numbers of all predicates, those without a definition first."""
    predicates = vocabulary.predicates
    return tuple(sorted(range(len(predicates)), key=lambda i: predicates[i].definition is not None))


def _first_undecided(structure: Structure) -> tuple[int, int] | None:
    """The number of a predicate and the bit of a tuple whose value is 1/2; core predicates first."""
    values = structure.values
    for number in _core_first(structure.vocabulary):
        open_bits = values[2 * number] ^ values[2 * number + 1]
        if open_bits:
            return number, open_bits & -open_bits
    return None


def _decided(structure: Structure, number: int, bit: int, *, value: bool) -> Structure:
    values = list(structure.values)
    if value:
        values[2 * number] |= bit
    else:
        values[2 * number + 1] &= ~bit
    return Structure(structure.vocabulary, structure.size, tuple(values))
