"""The abstract part of `kleene check`: a C program analysed with sets of three-valued structures.

The attempts are in `attempts`; each tries shape classes from the most to the least demanding (`classes`).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial

from kleene.analysis.c.shape.attempts import ATTEMPTS, Attempt, kinds_of_alarms
from kleene.analysis.c.shape.classes import first_class, next_class
from kleene.analysis.c.shape.run import gave_up, run_shape
from kleene.analysis.limits import within
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Operation
from kleene.core.verdict import PROPERTIES, kinds_of
from kleene.coverage.shapes import Followed
from kleene.diagnostics import LimitReached
from kleene.domains.shape.domain import MOST_STRUCTURES
from kleene.passes.coalesce import Sharing, sharing
from kleene.passes.facts.memory import Memory
from kleene.passes.preparation import Prepared
from kleene.results.shape import ShapeResult
from kleene.semantics.steps.context import Cause
from kleene.semantics.translate import Translation, Translator
from kleene.semantics.vocabulary.groups import ShapeClass

WITHOUT_LANES_FACTOR = 2
"""Structures of a run without lanes, as a multiple of those of the failed run with lanes."""
LANES_SHARE = 0.5
"""The share of the time for a run with lanes: the run without them has the rest."""
FEW_MARKERS, MANY_MARKERS = 2, 4
"""Numbers of markers, for objects of the caller of a recursive function: the first try, and the second one."""
ALL_KINDS = kinds_of(PROPERTIES)
"""The kinds of alarms."""


def analyse(
    prepared: Prepared,
    *,
    malloc_may_fail: bool,
    seconds: float,
    max_structures: int = MOST_STRUCTURES,
    only_class: str | None = None,
    kinds: frozenset[str] = ALL_KINDS,
) -> ShapeResult:
    """Analyse the program with the first shape class whose assumptions hold; only alarms of `kinds` matter."""
    start = time.monotonic()
    unable = within(seconds, lambda: prepared.memory)
    if isinstance(unable, LimitReached):
        return gave_up(str(unable), start)
    result = gave_up("there is no time left", start)
    for attempt in ATTEMPTS:
        left = seconds - (time.monotonic() - start)
        raised = kinds_of_alarms(result) & kinds
        if not attempt.applies(result, raised) or (only_class is not None and not attempt.is_plain):
            continue
        if left <= 0:
            break
        ready = within(left, partial(_followed, prepared, attempt))
        if isinstance(ready, LimitReached):
            break
        if ready is None:
            continue
        left = seconds - (time.monotonic() - start)
        plan = _Plan(prepared, ready, attempt, malloc_may_fail, max_structures, "memory_leak" in kinds)
        outcome = plan.run(left * attempt.share, only_class)
        better = outcome.complete and kinds_of_alarms(outcome) & kinds <= raised
        if better or attempt is ATTEMPTS[0] or (attempt.is_plain and not result.complete):
            result = outcome
    result.seconds = time.monotonic() - start
    return result


def analyse_by_attempt(
    prepared: Prepared,
    attempt: Attempt,
    *,
    malloc_may_fail: bool,
    seconds: float,
    max_structures: int = MOST_STRUCTURES,
    only_class: str | None = None,
) -> ShapeResult | None:
    """One attempt alone; None if its rewriting changes nothing.

    The tests use it: an earlier attempt would hide the errors of this one.
    """
    start = time.monotonic()
    ready = within(seconds, partial(_followed, prepared, attempt))
    if isinstance(ready, LimitReached):
        return gave_up(str(ready), start)
    if ready is None:
        return None
    plan = _Plan(prepared, ready, attempt, malloc_may_fail, max_structures)
    return plan.run(seconds - (time.monotonic() - start), only_class)


def _followed(prepared: Prepared, attempt: Attempt) -> Sharing | None:
    """The automaton that an attempt follows; None if its rewriting changes nothing."""
    followed, places = prepared.cfa, prepared.memory.pointer_places
    if attempt.rewrite is not None:
        followed = attempt.rewrite(prepared.memory)
        if followed == prepared.cfa:
            return None
        places = Memory(prepared.inlined, followed, typed=True).pointer_places
    return sharing(followed, places, whole_scope=attempt.whole_scope)


@dataclass(frozen=True)
class _Plan:
    """One program, prepared; shape classes are tried on it from the most to the least demanding."""

    prepared: Prepared
    shared: Sharing
    attempt: Attempt
    malloc_may_fail: bool
    max_structures: int
    leaks: bool = True

    @property
    def cfa(self) -> Cfa[Operation]:
        return self.shared.cfa

    def run(self, seconds: float, only_class: str | None) -> ShapeResult:
        start = time.monotonic()
        first = within(seconds, lambda: first_class(Memory(self.prepared.inlined, self.cfa, typed=True), only_class))
        if isinstance(first, LimitReached):
            return gave_up(str(first), start)
        shape: ShapeClass | None = first
        result = gave_up("there is no time left", start)
        markers = FEW_MARKERS
        looks = only_class is None
        plain: ShapeClass | None = None
        with_lanes: ShapeResult | None = None
        while shape is not None and (left := seconds - (time.monotonic() - start)) > 0:
            translated = within(left, partial(self._translated, shape, markers))
            if isinstance(translated, LimitReached):
                result = gave_up(str(translated), start)
                break
            translator, translation = translated
            left = seconds - (time.monotonic() - start)
            result = run_shape(
                translation,
                translator.symbols.shape,
                left * LANES_SHARE if shape.lanes else left,
                self.max_structures if with_lanes is None else WITHOUT_LANES_FACTOR * with_lanes.structures,
                forgets=self.leaks and not self.attempt.whole_scope and not only_class,
                groups=translator.symbols.groups if looks else (),
            )
            result.followed = Followed(translator, self.shared, self.prepared.memory, self.attempt.name)
            if markers == FEW_MARKERS and any(a.cause is Cause.TOO_FEW_MARKERS for a in result.alarms):
                markers = MANY_MARKERS
                continue
            if result.lanes:
                looks, plain = False, shape
                shape = replace(shape, name=f"{shape.name} with lanes", lanes=result.lanes)
                continue
            if plain is not None and (result.alarms or not result.complete):
                with_lanes = result if result.complete else None
                shape, plain = plain, None
                continue
            if not result.cyclic or only_class is not None:
                break
            shape = next_class(shape, result.cyclic, translator.symbols.groups)
        if with_lanes is not None and not result.complete:
            return with_lanes
        if result.cyclic:
            result.reason = "the heap may be cyclic, and no shape class for that was tried"
        return result

    def _translated(self, shape: ShapeClass, markers: int) -> tuple[Translator, Translation]:
        translator = Translator(
            self.prepared.inlined,
            self.cfa,
            self.attempt.named(shape),
            malloc_may_fail=self.malloc_may_fail,
            whole_scope=self.attempt.whole_scope,
            markers=markers,
        )
        return translator, translator.translate()
