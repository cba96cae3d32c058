"""The abstract part of `kleene check`: a C program analysed with sets of three-valued structures.

The attempts are in `attempts`; each tries shape classes from the most to the least demanding (`classes`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from kleene.analysis.c.shape.apart import NEAREST
from kleene.analysis.c.shape.attempts import ATTEMPTS, Attempt, kinds_of_alarms
from kleene.analysis.c.shape.classes import first_class, next_class
from kleene.analysis.c.shape.run import gave_up, run_apart, run_shape
from kleene.analysis.c.shape.telling import Tell, silent
from kleene.analysis.limits import within
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Operation
from kleene.core.verdict import PROPERTIES, kinds_of
from kleene.coverage.shapes import Followed
from kleene.diagnostics import LimitReached
from kleene.domains.shape.domain import MOST_STRUCTURES
from kleene.passes.coalesce import Sharing, sharing_of
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
APART_SHARE = 0.6
"""The share of the time for attempts that take the heap apart: attempts on whole heaps have the rest."""
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
    tell: Tell = silent,
) -> ShapeResult:
    """Analyse the program with the first shape class whose assumptions hold; only alarms of `kinds` matter."""
    start = time.monotonic()
    unable = within(seconds, lambda: prepared.memory)
    if isinstance(unable, LimitReached):
        return gave_up(str(unable), start)
    series = _Series(prepared, malloc_may_fail, max_structures, only_class, kinds, start + seconds, tell)
    result = series.run(ATTEMPTS, gave_up("there is no time left", start), seeks_parts=True)
    if series.has_parts and not series.is_proof(result):
        result = series.run([a for a in ATTEMPTS if not a.apart], result, seeks_parts=False)
    result.seconds = time.monotonic() - start
    return result


@dataclass
class _Series:
    """Attempts at one program, one after the other, until one has no alarm that matters."""

    prepared: Prepared
    malloc_may_fail: bool
    max_structures: int
    only_class: str | None
    kinds: frozenset[str]
    deadline: float
    tell: Tell = silent
    has_parts: bool = False
    """Whether the heap was taken apart."""

    def is_proof(self, result: ShapeResult) -> bool:
        return result.complete and not kinds_of_alarms(result) & self.kinds

    def run(self, attempts: Sequence[Attempt], result: ShapeResult, *, seeks_parts: bool) -> ShapeResult:
        """The best result, or the given one if none is better. After `parts`, the others take the heap apart too."""
        deadline, apart = self.deadline, False
        for attempt in attempts:
            left = deadline - time.monotonic()
            raised = kinds_of_alarms(result) & self.kinds
            is_first = attempt is attempts[0]
            applies = is_first or attempt.applies(result, raised)
            if not applies or (self.only_class is not None and not attempt.is_plain):
                continue
            if left <= 0:
                break
            if attempt.apart:
                apart = self.has_parts = True
                deadline = time.monotonic() + APART_SHARE * left
            ready = within(left, partial(_followed_automaton, self.prepared, attempt))
            if isinstance(ready, LimitReached):
                break
            if ready is None:
                continue
            plan = self._plan(attempt, ready, apart=apart, seeks_parts=seeks_parts and is_first)
            outcome = plan.run((deadline - time.monotonic()) * attempt.share, self.only_class)
            if attempt.apart and not outcome.complete and not outcome.alarms:
                break  # whole heaps may do better
            better = outcome.complete and kinds_of_alarms(outcome) & self.kinds <= raised
            if better or (attempt.is_plain and not result.complete):
                result = outcome
        return result

    def _plan(self, attempt: Attempt, ready: Sharing, *, apart: bool, seeks_parts: bool) -> _Plan:
        return _Plan(
            self.prepared,
            ready,
            attempt,
            self.malloc_may_fail,
            self.max_structures,
            "memory_leak" in self.kinds,
            apart=apart,
            seeks_parts=seeks_parts,
            tell=self.tell,
        )


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
    ready = within(seconds, partial(_followed_automaton, prepared, attempt))
    if isinstance(ready, LimitReached):
        return gave_up(str(ready), start)
    if ready is None:
        return None
    plan = _Plan(prepared, ready, attempt, malloc_may_fail, max_structures, apart=attempt.apart)
    return plan.run(seconds - (time.monotonic() - start), only_class)


def _followed_automaton(prepared: Prepared, attempt: Attempt) -> Sharing | None:
    """The automaton that an attempt follows; None if its rewriting changes nothing."""
    if attempt.concerns is not None and not attempt.concerns(prepared.memory):
        return None
    followed, places = prepared.cfa, prepared.memory.pointer_places
    if attempt.rewrite is not None:
        followed = attempt.rewrite(prepared.memory)
        if followed == prepared.cfa:
            return None
        places = Memory(prepared.inlined, followed, typed=True).pointer_places
    return sharing_of(followed, places, whole_scope=attempt.whole_scope)


@dataclass(frozen=True)
class _Plan:
    """One program, prepared; shape classes are tried on it from the most to the least demanding."""

    prepared: Prepared
    shared: Sharing
    attempt: Attempt
    malloc_may_fail: bool
    max_structures: int
    leaks: bool = True
    apart: bool = False
    """Whether the heap is taken apart."""
    seeks_parts: bool = False
    """Whether the run ends where taking the heap apart pays."""
    tell: Tell = silent
    """Gets a word about the progress."""

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
        looks = only_class is None and not self.apart
        plain: ShapeClass | None = None
        with_lanes: ShapeResult | None = None
        while shape is not None and (left := seconds - (time.monotonic() - start)) > 0:
            translated = within(left, partial(self._translate, shape, markers))
            if isinstance(translated, LimitReached):
                result = gave_up(str(translated), start)
                break
            translator, translation = translated
            left = seconds - (time.monotonic() - start)
            forgets = self.leaks and not self.attempt.whole_scope and not only_class
            if self.apart:
                own = translator.symbols.shape
                result = run_apart(
                    translation, own, left, self.max_structures, forgets=forgets, rounds=NEAREST, tell=self.tell
                )
            else:
                result = run_shape(
                    translation,
                    translator.symbols.shape,
                    left * LANES_SHARE if shape.lanes else left,
                    self.max_structures if with_lanes is None else WITHOUT_LANES_FACTOR * with_lanes.structures,
                    forgets=forgets,
                    groups=translator.symbols.groups if looks else (),
                    seeks_parts=self.seeks_parts,
                    tell=self.tell,
                )
            if result.has_parts:
                break
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

    def _translate(self, shape: ShapeClass, markers: int) -> tuple[Translator, Translation]:
        translator = Translator(
            self.prepared.inlined,
            self.cfa,
            self.attempt.class_with_predicates(shape),
            malloc_may_fail=self.malloc_may_fail,
            whole_scope=self.attempt.whole_scope,
            markers=markers,
        )
        return translator, translator.translate()
