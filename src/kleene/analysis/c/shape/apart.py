"""Heaps taken apart: when it pays, which pointers and facts stay together, and the domain for a translated program."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log2

from kleene.cfa.graph import Edge
from kleene.domains.decomposed.calling import CallingDecomposedDomain
from kleene.domains.decomposed.domain import Location
from kleene.domains.decomposed.locality import Locality, Refused
from kleene.domains.decomposed.partition import Partition, Roots
from kleene.domains.decomposed.parts import Islands, Parts
from kleene.domains.decomposed.products import Product
from kleene.domains.shape.calling import CallingShapeDomain
from kleene.engine.fixpoint import Reached
from kleene.logic.roles import RoleKind
from kleene.results.shape import ShapeResult
from kleene.semantics.translate import ERROR, Translation
from kleene.structures.canonical import Canonicalizer
from kleene.structures.structure import Structure
from kleene.transformers.action import Action, Rule

SAMPLED_STRUCTURES = 128
"""Structures of a location that are taken apart on trial: enough to see a product of two sets, cheap enough to lose."""
LEAST_STRUCTURES = 128
"""Structures of a location below which whole heaps are cheaper, whatever parts they have."""
GAIN_FACTOR = 4
"""Taking apart pays if the sample has so many times more structures than parts: a step on parts costs more."""
NEAREST = (1, 3, 8)
"""How many tests on the way to an alarm are correlated with it, in each round."""


JOIN = "part"
"""How the parts of one class are joined: as the structures of the relational analysis."""


def locality_of(translation: Translation) -> Locality:
    """What is local in a translated program; raises Refused."""
    return Locality(translation.vocabulary, rules_of(translation))


def rules_of(translation: Translation) -> tuple[Rule, ...]:
    """The rules of a translated program, with those of the predicates that its contracts record."""
    vocabulary = translation.vocabulary
    if all(p.role is None or p.role.kind is not RoleKind.SAME for p in vocabulary.declared):
        return tuple(translation.rules)
    from kleene.domains.shape.specified import recorded_rules  # imports the symbolic operations

    return (*translation.rules, *recorded_rules(vocabulary))


@dataclass(frozen=True)
class Correlation:
    """What an analysis with a heap taken apart keeps together: everywhere, and at each location."""

    together: tuple[Roots, ...] = ()
    partitions: Mapping[Location, Partition] = field(default_factory=dict)

    def domain(self, inner: CallingShapeDomain, translation: Translation) -> CallingDecomposedDomain:
        """The decomposed domain over a shape domain that does not blur; raises Refused."""
        return CallingDecomposedDomain(inner, locality_of(translation), JOIN, self.together, self.partitions)


@dataclass
class PartsLook:
    """Finds out whether the structures of a run are combinations of few parts."""

    translation: Translation
    _parts: Parts | None = field(default=None, init=False)
    _is_refused: bool = field(default=False, init=False)

    def __call__(self, reached: Reached[Structure]) -> bool:
        parts = self._ready()
        if parts is None:
            return False
        largest = max(reached.stores.values(), key=len, default=None)
        if largest is None or len(largest) < LEAST_STRUCTURES:
            return False
        return _pays(parts, largest.elements())

    def _ready(self) -> Parts | None:
        if self._parts is None and not self._is_refused:
            try:
                self._parts = Parts(locality_of(self.translation), Canonicalizer(self.translation.vocabulary))
            except Refused:
                self._is_refused = True
        return self._parts


def _pays(parts: Parts, every: Sequence[Structure]) -> bool:
    """Whether structures are combinations of few parts.

    A sample has fewer parts than the whole. They grow with the size of the sample as from its half to itself: not at
    all for a product of few sets, and as fast as the sample if nothing is gained.
    """
    sample = every[:: max(1, len(every) // SAMPLED_STRUCTURES)][:SAMPLED_STRUCTURES]
    islands = [parts.islands(structure) for structure in sample]
    partition = parts.locality.finest.join([own for taken in islands for own in taken.nodes])
    half, whole = (_different(parts, partition, some) for some in (islands[::2], islands))
    expected: float = whole * (whole / max(half, 1)) ** log2(len(every) / len(sample))
    return GAIN_FACTOR * expected < len(every)


def _different(parts: Parts, partition: Partition, islands: Sequence[Islands]) -> int:
    """The parts of structures beyond one for each class."""
    return sum(len({parts.cut(i.structure, i.nodes_of(own), own) for i in islands}) - 1 for own in partition)


def next_correlation(
    result: ShapeResult, domain: CallingDecomposedDomain, before: Correlation, rounds: list[int]
) -> Correlation | None:
    """What to keep together in the next round because of the alarms of a result; None if there is nothing more.

    First, what was connected late in this round is connected from the start. Then, as many tests are correlated as the
    first of the `rounds` says that makes a difference; it is taken from the list with those before it.
    """
    if domain.unites_late:
        return replace(before, partitions=domain.partitions)
    while rounds:
        more = roots_of_alarms(result, domain, rounds.pop(0))
        if domain.finest.join(more) != domain.finest:
            return Correlation((*before.together, *more), domain.partitions)
    return None


def roots_of_alarms(result: ShapeResult, domain: CallingDecomposedDomain, nearest: int) -> list[Roots]:
    """The roots to keep together because of the alarms: what an alarm is about, and what is tested before it."""
    if result.reached is None or result.translation is None:
        return []
    alarms = {text for text, alarm in result.translation.alarms.items() if alarm in result.alarms}
    raised = [entry for entry in domain.inner.log if entry.text in alarms]
    edges = result.translation.cfa.edges
    results: list[Roots] = []
    for entry in raised:  # by an error edge, or by a call that cannot be followed
        texts = ((e, [message.text for message in e.label.messages]) for e in edges if e.source == entry.location)
        own = next((edge for edge, said in texts if entry.text in said), None)
        if own is None:
            continue
        before = list(_before(edges, own))
        about = set(_classes(domain, result, own))
        if not about:  # a block is lost: the step before lost it
            about |= next((_classes(domain, result, edge) for edge in before if domain.plan(edge).touched), frozenset())
        tests = [touched for edge in before if _tests(edge) and (touched := domain.plan(edge).touched)]
        about.update(*tests[:nearest])
        if len(about) > 1:
            results.append(frozenset(about))
    return results


def _classes(domain: CallingDecomposedDomain, result: ShapeResult, edge: Edge[Action]) -> Roots:
    """The roots in the classes that an edge touches."""
    touched = domain.plan(edge).touched or frozenset()
    assert result.reached is not None
    store = result.reached.stores.get(edge.source)
    classes = set(touched)
    for element in store.elements() if store is not None else ():
        if isinstance(element, Product):
            classes.update(*(element.partition.class_of[root] for root in touched))
    return frozenset(classes)


def _tests(edge: Edge[Action]) -> bool:
    return edge.target != ERROR and edge.label.precondition is not None and not edge.label.changes_universe


def _before(edges: Sequence[Edge[Action]], last: Edge[Action]) -> Iterator[Edge[Action]]:
    """The edges on the ways to an edge, the nearest first."""
    entering: dict[str, list[Edge[Action]]] = {}
    for edge in edges:
        entering.setdefault(edge.target, []).append(edge)
    seen, waiting = {last.source}, deque([last.source])
    while waiting:
        for edge in entering.get(waiting.popleft(), ()):
            yield edge
            if edge.source not in seen:
                seen.add(edge.source)
                waiting.append(edge.source)
