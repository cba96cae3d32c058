"""Heaps taken apart: when it pays, which pointers and facts stay together, and the domain for a translated program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log2

from kleene.cfa.graph import Edge
from kleene.core.verdict import LEAKS
from kleene.domains.decomposed.calling import CallingDecomposedDomain
from kleene.domains.decomposed.domain import Location
from kleene.domains.decomposed.locality import Locality, Refused
from kleene.domains.decomposed.partition import Partition, Roots
from kleene.domains.decomposed.parts import Parts
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


LEAST_VALUES = 3
"""Known values of a number that may be an index: flags have two, and many of them have too many combinations."""
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
    cases: tuple[Roots, ...] = ()
    """The numbers whose values are kept apart."""

    def domain(self, inner: CallingShapeDomain, translation: Translation) -> CallingDecomposedDomain:
        """The decomposed domain over a shape domain that does not blur; raises Refused."""
        fixed = (inner, locality_of(translation), JOIN, self.together, self.partitions)
        return CallingDecomposedDomain(*fixed, cases=self.cases)


@dataclass
class PartsLook:
    """Finds out whether the structures of a run are combinations of few parts."""

    translation: Translation
    _parts: Parts | None = field(default=None, init=False)
    _is_refused: bool = field(default=False, init=False)

    def __call__(self, reached: Reached[Structure]) -> bool:
        largest = max(reached.stores.values(), key=len, default=None)
        if self._is_refused or largest is None or len(largest) < LEAST_STRUCTURES:
            return False
        parts = self._ready()
        return parts is not None and _pays(parts, largest.elements())

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
    cut = [[parts.cut(i.structure, i.nodes_of(own), own) for i in islands] for own in partition]
    half, whole = (sum(len(set(own[::step])) - 1 for own in cut) for step in (2, 1))
    expected: float = whole * (whole / max(half, 1)) ** log2(len(every) / len(sample))
    return GAIN_FACTOR * expected < len(every)


def next_correlation(
    result: ShapeResult, domain: CallingDecomposedDomain, before: Correlation, rounds: list[int]
) -> Correlation | None:
    """What to keep together in the next round because of the alarms of a result; None if there is nothing more.

    First, the values of numbers are kept apart: an index that chooses a list connects all lists otherwise. Next, what
    was connected late in this round is connected from the start. Then, as many tests are correlated as the first of the
    `rounds` says that makes a difference; it is taken from the list with those before it.
    """
    if domain.unites_late:
        cases = () if before.cases or before.partitions else cases_of(result, domain)
        return replace(before, cases=cases) if cases else replace(before, partitions=domain.partitions)
    while rounds:
        more = roots_of_alarms(result, domain, rounds.pop(0))
        if domain.finest.join(more) != domain.finest:
            return replace(before, together=(*before.together, *more), partitions=domain.partitions)
    return None


def cases_of(result: ShapeResult, domain: CallingDecomposedDomain) -> tuple[Roots, ...]:
    """The numbers with so many known values that they may choose among data structures."""
    if result.translation is None or result.translation.procedures:  # a call has contexts of its own
        return ()
    facts = domain.locality.facts
    return tuple(own for own in domain.finest if len(own) >= LEAST_VALUES and own <= facts)


def roots_of_alarms(result: ShapeResult, domain: CallingDecomposedDomain, nearest: int) -> list[Roots]:
    """The roots to keep together because of the alarms: what an alarm is about, and what is tested before it.

    Of what an alarm is about, those roots count that say something where the test is: the others get their values
    after it, from roots that are kept together with the test. A pointer that serves many loops, one after the other,
    would otherwise keep together all that these are about.
    """
    results: list[Roots] = []
    for suspect in _suspects(result, domain):
        tests = [(edge, touched) for edge in suspect.before if _tests(edge) and (touched := domain.plan(edge).touched)]
        for edge, touched in tests[:nearest]:
            about = _telling(result, edge.source, suspect.about) or suspect.about
            if len(about | touched) > 1:
                results.append(about | touched)
        if not tests and len(suspect.about) > 1:
            results.append(suspect.about)
    return results


def roots_of_first_alarms(result: ShapeResult, domain: CallingDecomposedDomain) -> Roots:
    """All that is connected somewhere with what the first alarm of each kind is about.

    Of the roots that an alarm is about, the one counts that says something at most locations: it holds the data, and
    the others serve many loops.
    """
    first: dict[str, Roots] = {}
    for suspect in _suspects(result, domain):
        first.setdefault(suspect.kind, suspect.about)
    assert result.translation is not None
    locations = result.translation.cfa.locations
    told = [_telling(result, location, frozenset().union(*first.values())) for location in locations]
    lasting = {max(sorted(about), key=lambda r: sum(r in telling for telling in told)) for about in first.values()}
    products = (element for location in locations for element in _elements(result, location))
    classes = (p.partition.class_of[root] for p in products if isinstance(p, Product) for root in lasting)
    return frozenset().union(*classes)


@dataclass(frozen=True)
class _Suspect:
    """An alarm: its kind, the roots that it is about, and the edges before it, the nearest first."""

    kind: str
    about: Roots
    before: tuple[Edge[Action], ...]


def _suspects(result: ShapeResult, domain: CallingDecomposedDomain) -> list[_Suspect]:
    """The alarms in the order of the program.

    A lost block stays lost, and every later check for lost blocks reports it again; only the first report counts.
    """
    if result.reached is None or result.translation is None:
        return []
    alarms = {text: alarm for text, alarm in result.translation.alarms.items() if alarm in result.alarms}
    cfa = result.translation.cfa
    suspects: list[_Suspect] = []
    entries = [entry for entry in domain.inner.log if entry.text in alarms]
    for entry in sorted(entries, key=lambda e: -cfa.post_order.get(e.location, 0)):
        leaving = ((e, [message.text for message in e.label.messages]) for e in cfa.leaving(entry.location))
        own = next((edge for edge, said in leaving if entry.text in said), None)
        if own is None:  # reported by a call that cannot be followed
            continue
        before = tuple(cfa.edges_before(own))
        about = _classes(domain, result, own)
        if not about:  # a block is lost: the step before lost it
            losing = next((edge for edge in before if domain.plan(edge).touched), None)
            is_first = not any(suspect.kind in LEAKS for suspect in suspects)
            if losing is None or (_has_lost_blocks(result, losing.source) and not is_first):
                continue
            about = _classes(domain, result, losing)
        suspects.append(_Suspect(alarms[entry.text].kind, about, before))
    return suspects


def _has_lost_blocks(result: ShapeResult, location: str) -> bool:
    return any(isinstance(element, Product) and element.adrift for element in _elements(result, location))


def _elements(result: ShapeResult, location: str) -> Sequence[Structure | Product]:
    store = result.reached.stores.get(location) if result.reached is not None else None
    return store.elements() if store is not None else ()


def _telling(result: ShapeResult, location: str, roots: Roots) -> Roots:
    """The roots that are not empty in all parts of a location."""
    telling: set[str] = set()
    for element in _elements(result, location):
        if isinstance(element, Product):
            for root in roots - telling:
                parts = element.sets[element.partition.class_of[root]]
                if any(part.values[2 * part.vocabulary.index(root) + 1] for part in parts):
                    telling.add(root)
    return frozenset(telling)


def _classes(domain: CallingDecomposedDomain, result: ShapeResult, edge: Edge[Action]) -> Roots:
    """The roots in the classes that an edge touches."""
    touched = domain.plan(edge).touched or frozenset()
    classes = set(touched)
    for element in _elements(result, edge.source):
        if isinstance(element, Product):
            classes.update(*(element.partition.class_of[root] for root in touched))
    return frozenset(classes)


def _tests(edge: Edge[Action]) -> bool:
    return edge.target != ERROR and edge.label.precondition is not None and not edge.label.changes_universe
