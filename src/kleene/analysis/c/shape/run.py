"""One run of the shape domain on a translated C program: limits, lanes, and the independent check of the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from kleene.analysis.c.shape.apart import Correlation, cases_of, next_correlation, roots_of_first_alarms, rules_of
from kleene.analysis.c.shape.telling import Tell, Teller, silent
from kleene.analysis.limits import MOST_MEMORY, Watchdog
from kleene.analysis.tvp.input import complete_structure
from kleene.cfa.graph import Cfa, Edge
from kleene.diagnostics import InternalCheckError, Limit, LimitReached
from kleene.domains.decomposed.domain import DecomposedDomain
from kleene.domains.decomposed.locality import Refused
from kleene.domains.decomposed.products import TOO_CONNECTED, Product
from kleene.domains.shape.calling import CallingShapeDomain
from kleene.domains.shape.domain import ShapeDomain, ShapeOptions
from kleene.domains.shape.machine import EdgeWork
from kleene.engine.check import uncovered_by_calls, uncovered_elements
from kleene.engine.fixpoint import Reached, Schedule, solve
from kleene.engine.tabulate import CallDomain, Procedure, Tabulated, tabulate
from kleene.results.shape import ShapeResult, Way
from kleene.semantics.steps.context import Cause
from kleene.semantics.translate import ERROR, Translation
from kleene.semantics.vocabulary.groups import Group, ShapeClass
from kleene.semantics.vocabulary.lanes import find_lanes
from kleene.structures.structure import Structure
from kleene.structures.tvs_reader import TvsStructure
from kleene.transformers.action import Action, MessageKind
from kleene.transformers.differencing.cycles import CYCLE
from kleene.transformers.rules import all_rules

Element = TypeVar("Element")

STRUCTURES_AFTER_DOUBT = 1000
"""Structures that a run may still make after a leak alarm that a pointer forgotten too early may cause, and after a
call that is refused: what follows may show that the heap is cyclic, and other alarms."""
STRUCTURES_BEFORE_LANES = 1000
"""Structures before the first search for lanes: smaller runs end before a search pays."""
STRUCTURES_BEFORE_PARTS = 4000
"""Structures before the first search for parts: whole heaps of smaller runs are cheaper."""
STRUCTURES_BEFORE_PARTS_OF_CALLS = 16_000
"""The same where functions are analysed apart: a call on parts composes them again."""
STRUCTURES_BEFORE_SLICES = 16_000
"""Structures before slices, if nothing else is seen: whole heaps are cheaper below, and know what slices lose."""
STRUCTURES_BEFORE_MANY_SLICES = 4_000
"""The same for programs with many slices: structures are larger there, and there will be more of them."""
STRUCTURES_BEFORE_NODES = 16_000
"""Structures before the search for nodes that are often missing, if nothing else is seen: values are lost with them."""
STRUCTURES_BEFORE_NODES_OF_CALLS = 1_000
"""The same where functions are analysed apart that could be inlined: a structure at a call costs more than a step."""
LANES_FACTOR = 4
"""Factor between the numbers of structures at two searches for lanes and parts."""
LEAK_SUSPECTED = "a block may be lost"
LANES_SEEN = "cells skip nodes of a list"


@dataclass
class Looks:
    """Looks at the structures of a run for ways to fewer ones; ends it with LimitReached if there are any.

    Without numbers in nodes everything else looks different, so the other ways come after that one. Slices come before
    all of them, since each slice looks for itself; but not as long as whole heaps are few. Where locations can know
    more, there may be more slices, so this comes first.
    """

    by_way: Mapping[Way, Callable[[Reached[Structure]], bool]]
    has_many_slices: Callable[[], bool] = lambda: False
    parts_look: int = STRUCTURES_BEFORE_PARTS
    """Structures before the ways other than slices."""
    nodes_look: int = STRUCTURES_BEFORE_NODES
    """Structures before the search for nodes that are often missing."""
    ways: frozenset[Way] = frozenset()

    def __call__(self, reached: Reached[Structure]) -> None:
        ways: frozenset[Way] = frozenset()
        if reached.generated >= self.parts_look:
            steps = ((Way.BACK,), (Way.NUMBERS,), (Way.CALLS, Way.PARTS))
            ways = next(filter(None, (self._seen(reached, *step) for step in steps)), ways)
        if ways or reached.generated >= STRUCTURES_BEFORE_SLICES:
            forms = (self._seen(reached, form) for form in (Way.OWNED, Way.CHOICES, Way.SLICES, Way.MEMBERS))
            ways = next(filter(None, forms), ways)
        elif reached.generated >= STRUCTURES_BEFORE_MANY_SLICES and Way.SLICES in self.by_way:
            ways = self._seen(reached, Way.SLICES) if self.has_many_slices() else ways
        if not ways and reached.generated >= self.nodes_look:
            ways = self._seen(reached, Way.NODES)
        self.ways = ways
        if ways:
            raise LimitReached(", ".join(sorted(way.value for way in ways)), Limit.PARTS)

    def _seen(self, reached: Reached[Structure], *together: Way) -> frozenset[Way]:
        return frozenset(way for way in together if way in self.by_way and self.by_way[way](reached))


def gave_up(reason: str, start: float) -> ShapeResult:
    return ShapeResult("none", [], False, reason, 0, time.monotonic() - start)


def run_shape(
    translation: Translation,
    shape: ShapeClass,
    seconds: float,
    max_structures: int,
    *,
    forgets: bool = False,
    join: str = "part",
    groups: Sequence[Group] = (),
    looks: Looks | None = None,
    tell: Tell = silent,
    patience: float = 0.0,
    needs_markers: bool = False,
) -> ShapeResult:
    """Analyse with one shape class.

    With `needs_markers`, the run ends at the first call that needs more markers than there are: one with more follows.
    For the seconds of `patience`, there may be more than `max_structures`. `forgets` means that a leak alarm may come
    from a pointer that was forgotten too early. The run searches for lanes among the cells of the groups, and ends
    where one of the `looks` shows a way to fewer structures.
    """
    start = time.monotonic()
    order = "heads-last" if join == "pointed" else "inner-first"  # each join that grows goes round all loops again
    look = _Look(translation.cfa.loop_heads, groups)
    try:
        with Watchdog(seconds, MOST_MEMORY):
            domain, initial = domain_of(translation, join=join)
            limits = _Limits(domain, max_structures, _doubtful(translation, forgets=forgets), look, looks)
            limits.patient_until = start + patience
            alarms = translation.alarms.items()
            refused = frozenset(text for text, a in alarms if a.cause is Cause.TOO_FEW_MARKERS)
            if needs_markers:
                limits.refused = refused
            limits.markers = refused
            limits.doubtful |= refused
            if looks is not None and translation.procedures:
                looks.parts_look = STRUCTURES_BEFORE_PARTS_OF_CALLS
            teller = Teller(tell, translation, shape.name, limits)
            reached = solve_translated(translation, domain, [initial], limits, [teller], order=order)
    except LimitReached as limit:  # before the iteration began, or while it was being ended
        return gave_up(str(limit), start)
    result = _result(translation, shape, domain, reached, reached.generated, start)
    result.join = join
    result.ways = looks.ways if looks is not None else frozenset()
    if not result.ways:
        result.lanes = look(reached) if result.alarms or not result.complete else ()
    return result


def run_apart(
    translation: Translation,
    shape: ShapeClass,
    seconds: float,
    max_structures: int,
    *,
    forgets: bool = False,
    rounds: Sequence[int] = (),
    is_common: Callable[[ShapeResult, float], bool] = lambda result, seconds: False,
    tell: Tell = silent,
) -> ShapeResult:
    """Analyse with one shape class, the heap taken apart.

    Alarms are looked at again, unless `is_common` says that whole heaps have them too: in each round, more of what is
    tested before an alarm is kept together with what the alarm is about (`rounds` says how many tests).
    """
    start = time.monotonic()
    known = Correlation()
    result = gave_up("there is no time left", start)
    left = list(rounds)
    while (remaining := seconds - (time.monotonic() - start)) > 0:
        begun = time.monotonic()
        try:
            with Watchdog(remaining, MOST_MEMORY):
                inner, initial = domain_of(translation, join="conc")
                domain = known.domain(inner, translation)
                limits = _Limits(inner, max_structures, _doubtful(translation, forgets=forgets), counts=domain)
                teller = Teller(tell, translation, shape.name, limits)
                reached = solve_translated(translation, domain, domain.products_of([initial]), limits, [teller])
        except (LimitReached, Refused) as limit:
            return result if result.together is not None else gave_up(str(limit), start)
        result = _result(translation, shape, inner, reached, domain.generated, begun)
        result.together, result.cases = known.together, known.cases
        if reached.reason == TOO_CONNECTED and not known.cases and (cases := cases_of(result, domain)):
            known = replace(known, cases=cases)
            continue
        if result.cyclic or not result.alarms or not rounds:
            break
        result.suspects = roots_of_first_alarms(result, domain)
        if known == Correlation() and is_common(result, seconds - (time.monotonic() - start)):
            break
        more = next_correlation(result, domain, known, left)
        if more is None:
            break
        known = more
    result.seconds = time.monotonic() - start
    return result


def _doubtful(translation: Translation, *, forgets: bool) -> frozenset[str]:
    """The alarms that a pointer forgotten too early may cause."""
    leaks = {text for text, alarm in translation.alarms.items() if alarm.kind == "memory_leak"}
    return frozenset(leaks if forgets else ())


def _result(
    translation: Translation,
    shape: ShapeClass,
    domain: ShapeDomain,
    reached: Reached[Structure] | Reached[Product],
    generated: int,
    start: float,
) -> ShapeResult:
    cyclic = _cycles(domain)
    return ShapeResult(
        shape.name,
        [translation.alarms[e.text] for e in domain.log if e.text in translation.alarms],
        reached.complete and not cyclic and not domain.contradictions,
        CYCLE if cyclic else reached.reason or _contradiction(domain),
        generated,
        time.monotonic() - start,
        cyclic,
        reached=reached,
        translation=translation,
    )


def solve_translated(
    translation: Translation,
    domain: CallDomain[Action, Element],
    initial: Sequence[Element],
    limits: Callable[[Reached[Element]], None],
    listeners: Sequence[Teller] = (),
    *,
    order: str = "inner-first",
) -> Reached[Element]:
    """The fixpoint of a translated program, with or without procedures."""
    schedule = Schedule(order)
    if not translation.procedures:
        return solve(translation.cfa, domain, initial, schedule, listeners=listeners, check_limits=limits)
    apart = {n: Procedure(Cfa(a, translation.cfa.edges), b) for n, (a, b) in translation.procedures.items()}
    return tabulate(translation.cfa, apart, domain, initial, schedule, listeners=listeners, check_limits=limits)


def check_again(result: ShapeResult) -> bool:
    """Whether an independent check confirms that no step leaves the set of structures (docs/concepts/engine.md).

    A failure is an internal error. So is an alarm that only this check raises.
    """
    if result.slices:
        return result.complete and all(map(check_again, result.slices))
    translation, reached = result.translation, result.reached
    if translation is None or reached is None or not result.complete:
        return False
    domain, initial = domain_of(translation, join="conc" if result.together is not None else result.join)
    problems = _gaps(result, domain, initial)
    raised = {translation.alarms[entry.text] for entry in domain.log if entry.text in translation.alarms}
    problems += [f"an alarm was not raised: {alarm.text}" for alarm in raised - set(result.alarms)]
    if problems or _cycles(domain) or domain.contradictions:
        why = problems[0] if problems else _contradiction(domain) or CYCLE
        raise InternalCheckError(f"the shapes are not closed under the program's steps: {why}")
    return True


def _gaps(result: ShapeResult, domain: CallingShapeDomain, initial: Structure) -> list[str]:
    """What the stores of a result do not cover."""
    translation, reached = result.translation, result.reached
    assert translation is not None and reached is not None
    if result.together is None:
        whole = cast(Reached[Structure], reached)
        if isinstance(whole, Tabulated):
            return uncovered_by_calls(domain, [initial], whole)
        return uncovered_elements(translation.cfa, domain, [initial], whole)
    known = Correlation(result.together, cases=result.cases)
    apart, products = known.domain(domain, translation), cast(Reached[Product], reached)
    if isinstance(products, Tabulated):
        return uncovered_by_calls(apart, apart.products_of([initial]), products)
    return uncovered_elements(translation.cfa, apart, apart.products_of([initial]), products)


def domain_of(
    translation: Translation, *, join: str = "part", of: type[AlarmDomain] | None = None
) -> tuple[CallingShapeDomain, Structure]:
    """The domain that analyses a translated program, of the given class, and the structure to start with."""
    vocabulary = translation.vocabulary
    core = frozenset(p.name for p in vocabulary if p.definition is None)
    initial = complete_structure(TvsStructure(translation.initial, core))
    options = ShapeOptions(early_precondition=True, join=join)
    rules = rules_of(translation)
    domain = (of or AlarmDomain)(vocabulary, all_rules(vocabulary, rules), options)
    domain.calls = translation.calls
    domain.given_rules = rules
    return domain, initial


def _contradiction(domain: ShapeDomain) -> str:
    """The first rule that an update contradicts; such a run proves nothing, as it may have discarded a real heap."""
    for action, (_, structure) in domain.contradictions.items():
        breach = domain.coercer.explain(structure)
        if breach is not None:
            return f"the step '{action}' contradicts the rule {breach.rule} ({breach.rule.origin})"
    return ""


@dataclass(frozen=True)
class _Look:
    """Searches lanes among the cells of the groups, at loop heads: elsewhere the heap may be half updated."""

    heads: frozenset[str]
    groups: Sequence[Group]

    def __call__(self, reached: Reached[Structure]) -> tuple[str, ...]:
        stores = (reached.stores[head] for head in self.heads if self.groups and head in reached.stores)
        return find_lanes((structure for store in stores for structure in store.elements()), self.groups)


@dataclass
class _Limits:
    """Ends a run whose assumptions are wrong, that is too large, or that continues long after a doubtful alarm."""

    domain: ShapeDomain
    max_structures: int
    doubtful: frozenset[str]
    look: _Look | None = None
    looks: Looks | None = None
    counts: DecomposedDomain | None = None
    """The domain that counts the structures, if the heap is taken apart."""
    generated: int = 0
    """Structures so far."""
    patient_until: float = 0.0
    """The time up to which there may be more of them than `max_structures`."""
    refused: frozenset[str] = frozenset()
    """The alarms that end the run at once."""
    markers: frozenset[str] = frozenset()
    """The alarms of calls that need more markers than there are: the run ends some time after one."""
    _messages: int = 0
    """Messages when they were last looked through."""
    _until: int | None = None
    _next_look: int = STRUCTURES_BEFORE_LANES

    def __call__(self, reached: Reached[Any]) -> None:
        generated = self.generated = reached.generated if self.counts is None else self.counts.generated
        messages, self._messages = self._messages, self.domain.log.distinct
        new_messages = self._messages != messages
        if new_messages and _cycles(self.domain):
            raise LimitReached(CYCLE, Limit.CYCLE)
        if new_messages and self.refused and any(entry.text in self.refused for entry in self.domain.log):
            raise LimitReached(Cause.TOO_FEW_MARKERS.value, Limit.PRECISION)
        if generated > self.max_structures and time.monotonic() > self.patient_until:
            raise LimitReached(f"more than {self.max_structures} structures", Limit.STRUCTURES)
        if generated > self._next_look and self.look is not None:
            self._next_look = LANES_FACTOR * generated
            if self.look(reached):
                raise LimitReached(LANES_SEEN, Limit.LANES)
            if self.looks is not None:
                self.looks(reached)
        if new_messages and self._until is None and any(entry.text in self.doubtful for entry in self.domain.log):
            self._until = 2 * generated + STRUCTURES_AFTER_DOUBT
        if self._until is not None and generated > self._until:
            raise LimitReached(self._doubt, Limit.LEAK_SUSPECTED)

    @property
    def _doubt(self) -> str:
        """Why a run that was doubtful is ended."""
        is_refused = any(entry.text in self.markers for entry in self.domain.log)
        return Cause.TOO_FEW_MARKERS.value if is_refused else LEAK_SUSPECTED


class AlarmDomain(CallingShapeDomain):
    """Stops at alarms: error edges have no successors, and one structure is enough to raise an alarm."""

    def post(self, edge: Edge[Action], elements: Sequence[Structure]) -> Sequence[Structure]:
        if edge.target != ERROR:
            return super().post(edge, elements)
        for message in edge.label.messages:
            if not self.log.has(edge.source, message.text):
                super().post(edge, elements)
                break
        return []

    @classmethod
    def _posts_as(cls) -> Callable[..., Sequence[Structure]]:
        return AlarmDomain.post

    def work_at(self, edge: Edge[Action]) -> EdgeWork:
        if edge.target != ERROR:
            return super().work_at(edge)
        is_new = any(not self.log.has(edge.source, message.text) for message in edge.label.messages)
        return EdgeWork.DROP if is_new else EdgeWork.SKIP


def _cycles(domain: ShapeDomain) -> dict[str, frozenset[str]]:
    """The predicates that were assumed acyclic and may have a cycle, each with the predicates updated there."""
    cycles: dict[str, frozenset[str]] = {}
    for entry in domain.log:
        if entry.message.kind is MessageKind.CLOSED_CYCLE:
            name = entry.message.relation
            cycles[name] = cycles.get(name, frozenset()) | {u.predicate for u in entry.action.updates}
    return cycles
