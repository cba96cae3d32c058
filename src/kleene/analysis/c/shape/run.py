"""One run of the shape domain on a translated C program: limits, lanes, and the independent check of the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kleene.analysis.limits import MOST_MEMORY, Watchdog
from kleene.analysis.tvp.input import completed
from kleene.cfa.graph import Cfa, Edge
from kleene.diagnostics import InternalCheckError, Limit, LimitReached
from kleene.domains.shape.calling import CallingShapeDomain
from kleene.domains.shape.domain import ShapeDomain, ShapeOptions
from kleene.domains.shape.specified import recorded_rules
from kleene.engine.check import uncovered, uncovered_by_calls
from kleene.engine.fixpoint import Reached, Schedule, solve
from kleene.engine.tabulate import Procedure, Tabulated, tabulate
from kleene.results.shape import ShapeResult
from kleene.semantics.translate import ERROR, Translation
from kleene.semantics.vocabulary.groups import Group, ShapeClass
from kleene.semantics.vocabulary.lanes import lanes_seen
from kleene.structures.structure import Structure
from kleene.structures.tvs_reader import TvsStructure
from kleene.transformers.action import Action, MessageKind
from kleene.transformers.differencing.cycles import CYCLE
from kleene.transformers.rules import all_rules

STRUCTURES_AFTER_LEAK = 1000
"""Structures that a run may still make after a leak alarm that a pointer forgotten too early may cause."""
STRUCTURES_BEFORE_LANES = 1000
"""Structures before the first search for lanes: smaller runs end before a search pays."""
LANES_FACTOR = 4
"""Factor between the numbers of structures at two searches for lanes."""
LEAK_SUSPECTED = "a block may be lost"
LANES_SEEN = "cells skip nodes of a list"


def gave_up(reason: str, start: float) -> ShapeResult:
    return ShapeResult("none", [], False, reason, 0, 0, time.monotonic() - start)


def run_shape(
    translation: Translation,
    shape: ShapeClass,
    seconds: float,
    max_structures: int,
    *,
    forgets: bool = False,
    groups: Sequence[Group] = (),
) -> ShapeResult:
    """Analyse with one shape class.

    `forgets` means that a leak alarm may come from a pointer that was forgotten too early. The run searches for lanes
    among the cells of the groups.
    """
    start = time.monotonic()
    leaks = {text for text, alarm in translation.alarms.items() if alarm.kind == "memory_leak"}
    look = _Look(translation.cfa.loop_heads, groups)
    try:
        with Watchdog(seconds, MOST_MEMORY):
            domain, initial = domain_of(translation)
            limits = _Limits(domain, max_structures, frozenset(leaks if forgets else ()), look)
            reached = _solved(translation, domain, initial, limits)
    except LimitReached as limit:  # before the iteration began, or while it was being ended
        return gave_up(str(limit), start)
    alarms = [translation.alarms[e.text] for e in domain.log if e.text in translation.alarms]
    cyclic = _cycles(domain)
    lanes = look(reached) if alarms or cyclic or not reached.complete else ()
    return ShapeResult(
        shape.name,
        alarms,
        reached.complete and not cyclic and not domain.contradictions,
        CYCLE if cyclic else reached.reason or _contradiction(domain),
        reached.generated,
        sum(len(store) for store in reached.stores.values()),
        time.monotonic() - start,
        cyclic,
        lanes,
        reached,
        translation,
    )


def _solved(
    translation: Translation,
    domain: CallingShapeDomain,
    initial: Structure,
    limits: Callable[[Reached[Structure]], None],
) -> Reached[Structure]:
    if not translation.procedures:
        return solve(translation.cfa, domain, [initial], Schedule(), check_limits=limits)
    apart = {n: Procedure(Cfa(a, translation.cfa.edges), b) for n, (a, b) in translation.procedures.items()}
    return tabulate(translation.cfa, apart, domain, [initial], Schedule(), check_limits=limits)


def checked_again(result: ShapeResult) -> bool:
    """Whether an independent check confirms that no step leaves the set of structures (docs/concepts/engine.md).

    A failure is an internal error. So is an alarm that only this check raises.
    """
    translation, reached = result.translation, result.reached
    if translation is None or reached is None or not result.complete:
        return False
    domain, initial = domain_of(translation)
    if isinstance(reached, Tabulated):
        problems = uncovered_by_calls(domain, [initial], reached)
    else:
        problems = uncovered(translation.cfa, domain, [initial], reached)
    raised = {translation.alarms[entry.text] for entry in domain.log if entry.text in translation.alarms}
    problems += [f"an alarm was not raised: {alarm.text}" for alarm in raised - set(result.alarms)]
    if problems or _cycles(domain) or domain.contradictions:
        why = problems[0] if problems else _contradiction(domain) or CYCLE
        raise InternalCheckError(f"the shapes are not closed under the program's steps: {why}")
    return True


def domain_of(translation: Translation) -> tuple[CallingShapeDomain, Structure]:
    """The domain that analyses a translated program, and the structure to start with."""
    vocabulary = translation.vocabulary
    core = frozenset(p.name for p in vocabulary if p.definition is None)
    initial = completed(TvsStructure(translation.initial, core))
    options = ShapeOptions(early_precondition=True)
    rules = (*translation.rules, *recorded_rules(vocabulary))
    domain = _AlarmDomain(vocabulary, all_rules(vocabulary, rules), options)
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
        return lanes_seen((structure for store in stores for structure in store.elements()), self.groups)


@dataclass
class _Limits:
    """Ends a run whose assumptions are wrong, that is too large, or that continues long after a doubtful alarm."""

    domain: ShapeDomain
    max_structures: int
    doubtful: frozenset[str]
    look: _Look
    _until: int | None = None
    _next_look: int = STRUCTURES_BEFORE_LANES

    def __call__(self, reached: Reached[Structure]) -> None:
        if _cycles(self.domain):
            raise LimitReached(CYCLE, Limit.CYCLE)
        if reached.generated > self.max_structures:
            raise LimitReached(f"more than {self.max_structures} structures", Limit.STRUCTURES)
        if reached.generated > self._next_look:
            self._next_look = LANES_FACTOR * reached.generated
            if self.look(reached):
                raise LimitReached(LANES_SEEN, Limit.LANES)
        if self._until is None and any(entry.text in self.doubtful for entry in self.domain.log):
            self._until = 2 * reached.generated + STRUCTURES_AFTER_LEAK
        if self._until is not None and reached.generated > self._until:
            raise LimitReached(LEAK_SUSPECTED, Limit.LEAK_SUSPECTED)


class _AlarmDomain(CallingShapeDomain):
    """Stops at alarms: error edges have no successors, and one structure is enough to raise an alarm."""

    def post(self, edge: Edge[Action], elements: Sequence[Structure]) -> Sequence[Structure]:
        if edge.target != ERROR:
            return super().post(edge, elements)
        if not all(self.log.has(edge.source, message.text) for message in edge.label.messages):
            super().post(edge, elements)
        return []


def _cycles(domain: ShapeDomain) -> dict[str, frozenset[str]]:
    """The predicates that were assumed acyclic and may have a cycle, each with the predicates updated there."""
    cycles: dict[str, frozenset[str]] = {}
    for entry in domain.log:
        if entry.message.kind is MessageKind.CLOSED_CYCLE:
            name = entry.message.relation
            cycles[name] = cycles.get(name, frozenset()) | {u.predicate for u in entry.action.updates}
    return cycles
