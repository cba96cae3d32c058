"""One attempt at a prepared program: shape classes are tried from the most to the least demanding."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial

from kleene.analysis.c.shape.apart import NEAREST, PartsLook
from kleene.analysis.c.shape.attempts import Attempt, kinds_of_alarms
from kleene.analysis.c.shape.automaton import Automaton
from kleene.analysis.c.shape.classes import first_class, next_class, without_references
from kleene.analysis.c.shape.copies import CopiesLook
from kleene.analysis.c.shape.crowded import crowded_returns, crowded_values
from kleene.analysis.c.shape.optional_nodes import NodesLook
from kleene.analysis.c.shape.probe import whole_heaps_raise
from kleene.analysis.c.shape.run import (
    STRUCTURES_BEFORE_NODES,
    STRUCTURES_BEFORE_NODES_OF_CALLS,
    Looks,
    gave_up,
    run_apart,
    run_shape,
)
from kleene.analysis.c.shape.telling import Tell, silent
from kleene.analysis.limits import stated_limit, within
from kleene.core.verdict import PROPERTIES, kinds_of
from kleene.coverage.shapes import Followed
from kleene.diagnostics import LimitReached
from kleene.engine.fixpoint import Reached
from kleene.passes.attempts.cursors import copied_cursors
from kleene.passes.facts.integers import numbers_of_rounds, running_numbers
from kleene.passes.preparation import Prepared
from kleene.results.shape import ShapeResult, Way
from kleene.semantics.steps.context import Cause
from kleene.semantics.translate import Alarm, Translation, Translator
from kleene.semantics.vocabulary.groups import Group, ShapeClass
from kleene.semantics.vocabulary.precision import Precision
from kleene.semantics.vocabulary.tags import Tag
from kleene.structures.structure import Structure

PREPARED_ONLY = "the time limit of {} was reached before the program was prepared for the analysis"
"""The reason where no run of the shape analysis began."""
WITHOUT_LANES_FACTOR = 2
"""Structures of a run without lanes, as a multiple of those of the failed run with lanes."""
LANES_SHARE = 0.5
"""The share of the time for a run with lanes: the run without them has the rest."""
EARLY_SLICES = 4
"""Slices from which a run ends early for them: whole heaps have all combinations of four structures or more."""
FEW_MARKERS, MANY_MARKERS = 2, 4
"""Numbers of markers, for objects of the caller of a recursive function: the first try, and the second one."""
WORDS = {
    Way.ZEROS: "with zeros only",
    Way.NUMBERS: "without numbers",
    Way.CALLS: "by calls",
    Way.PARTS: "by parts",
    Way.NODES: "with optional nodes",
}
"""The ways to fewer structures in the name of a proof."""
ALL_KINDS = kinds_of(PROPERTIES)
"""The kinds of alarms."""


@dataclass(frozen=True)
class Origin:
    """What the translation of an attempt depends on: equal ones have equal translations."""

    automaton: Automaton
    shape: ShapeClass
    """Without its name."""
    precision: Precision
    markers: int


@dataclass(frozen=True)
class Analysed:
    origin: Origin
    translation: Translation


@dataclass(frozen=True)
class Plan:
    """One program, prepared; shape classes are tried on it from the most to the least demanding."""

    automaton: Automaton
    attempt: Attempt
    malloc_may_fail: bool
    max_structures: int
    leaks: bool = True
    taken: frozenset[Way] = frozenset()
    """The ways to fewer structures that it goes."""
    sought: frozenset[Way] = frozenset()
    """The run ends early where it shows one of these."""
    best: ShapeResult = field(default_factory=lambda: gave_up("", 0.0))
    """The best result of the attempts before."""
    kinds: frozenset[str] = ALL_KINDS
    """The kinds of alarms that matter."""
    ignored: frozenset[Alarm] = frozenset()
    """Alarms that do not matter."""
    classes: dict[ShapeClass, ShapeClass] = field(default_factory=dict)
    """The last class that a run on the way to fewer structures tried, by the first one."""
    earlier: list[Analysed] = field(default_factory=list)
    """What complete runs on whole heaps have analysed so far, without a proof."""
    tell: Tell = silent
    """Gets a word about the progress."""
    patience: float = 0.0
    """Seconds for which there may be more than `max_structures`."""
    tags: tuple[Tag, ...] = ()

    @property
    def prepared(self) -> Prepared:
        return self.automaton.prepared

    def run(self, seconds: float, only_class: str | None) -> ShapeResult:
        start = time.monotonic()
        first = within(seconds, lambda: first_class(self.automaton.memory, self.automaton.unshared, only_class))
        if isinstance(first, LimitReached):
            return gave_up(str(first), start)
        shape: ShapeClass | None = self.classes.get(first, first) if self.attempt.adds_nothing else first
        result = gave_up(PREPARED_ONLY.format(stated_limit(seconds)), start)
        markers = FEW_MARKERS
        earlier = tuple(self.earlier)  # of other attempts: this one may return to a class
        looks = only_class is None and Way.PARTS not in self.taken
        plain: ShapeClass | None = None
        with_lanes: ShapeResult | None = None
        with_references: ShapeResult | None = None
        while shape is not None and (left := seconds - (time.monotonic() - start)) > 0:
            origin = self._origin(shape, markers)
            if self._is_known and any(other.origin == origin for other in earlier):
                return self.best
            translated = within(left, partial(self._translate, shape, markers))
            if isinstance(translated, LimitReached):
                result = gave_up(str(translated), start)
                break
            translator, translation = translated
            if self._is_known and any(other.translation == translation for other in earlier):
                return self.best  # the attempt changes nothing: an earlier one had the same summaries, and no proof
            most = self.max_structures if with_lanes is None else WITHOUT_LANES_FACTOR * with_lanes.structures
            left = seconds - (time.monotonic() - start)
            groups = translator.symbols.groups if looks else ()
            result = self._solve(translation, translator.symbols.shape, left, most, groups, only_class, markers)
            if result.complete and Way.PARTS not in self.taken:
                self.earlier.append(Analysed(origin, translation))
            if result.ways:
                self.classes[first] = plain or shape
                break
            result.followed = Followed(
                translator,
                self.automaton.shared,
                self.prepared.memory,
                self.attempt.name,
                slice=self.prepared.slice,
                stale=self.automaton.stale,
                unread=self.automaton.unread,
            )
            if markers == FEW_MARKERS and any(a.cause is Cause.TOO_FEW_MARKERS for a in result.alarms):
                markers = MANY_MARKERS
                continue
            if result.lanes:
                looks, plain = False, shape
                shape = replace(shape, name=f"{shape.name} with lanes", lanes=result.lanes)
                continue
            if plain is not None and not self._is_proof(result):
                with_lanes = result if result.complete else None
                shape, plain = plain, None
                continue
            if not result.cyclic and shape.references and not self._is_proof(result):
                with_references = result if result.complete else None
                shape = without_references(first)
                continue
            if not result.cyclic or only_class is not None:
                break
            shape = next_class(shape, result.cyclic, translator.symbols.groups, translator.memory.links)
        if with_lanes is not None and not result.complete:
            return with_lanes
        if with_references is not None and not (
            result.complete and self._raised(result) <= self._raised(with_references)
        ):
            return with_references
        if result.cyclic:
            result.reason = "the heap may be cyclic, and no shape class for that was tried"
        return result

    def _raised(self, result: ShapeResult) -> Set[str]:
        """The kinds of alarms that matter."""
        return kinds_of_alarms(result, self.ignored) & self.kinds

    def _is_proof(self, result: ShapeResult) -> bool:
        return result.complete and not self._raised(result)

    def _solve(
        self,
        translation: Translation,
        shape: ShapeClass,
        seconds: float,
        most: int,
        groups: Sequence[Group],
        only_class: str | None,
        markers: int,
    ) -> ShapeResult:
        """The result for one translation."""
        start = time.monotonic()
        forgets = self.leaks and not self.attempt.whole_scope and not only_class
        if Way.PARTS in self.taken:
            if self.best.suspects and self._is_common(translation, self.best, seconds):
                return gave_up("whole heaps raise the alarms of the attempts before", start)
            return run_apart(
                translation,
                shape,
                seconds - (time.monotonic() - start),
                self.max_structures,
                forgets=forgets,
                rounds=NEAREST,
                is_common=partial(self._is_common, translation),
                tell=self.tell,
            )
        return run_shape(
            translation,
            shape,
            seconds * LANES_SHARE if shape.lanes else seconds,
            most,
            forgets=forgets,
            join="pointed" if Way.NODES in self.taken else "part",
            groups=groups,
            looks=self._looks(translation, shape),
            tell=self.tell,
            patience=self.patience,
            needs_markers=markers == FEW_MARKERS,
        )

    @property
    def _is_known(self) -> bool:
        """Whether an equal translation would have the best result so far."""
        return Way.PARTS not in self.taken and self.best.complete

    def _origin(self, shape: ShapeClass, markers: int) -> Origin:
        return Origin(self.automaton, replace(self._class(shape), name=""), self._precision, markers)

    def _is_common(self, translation: Translation, result: ShapeResult, seconds: float) -> bool:
        """Whether whole heaps raise the alarms of a result too: then this attempt is no proof."""
        kinds, roots = self._raised(result), result.suspects
        if result.followed is not None:
            roots = self.automaton.shared.names_after(result.followed.sharing, roots)
        return bool(kinds) and whole_heaps_raise(translation, roots, kinds, seconds)

    def _looks(self, translation: Translation, shape: ShapeClass) -> Looks:
        every: dict[Way, Callable[[Reached[Structure]], bool]] = {
            Way.OWNED: lambda reached: self.prepared.by_owned is not None,
            Way.CHOICES: lambda reached: self.prepared.by_choices is not None,
            Way.SLICES: lambda reached: bool(self.prepared.slices),
            Way.MEMBERS: lambda reached: self.prepared.by_members is not None,
            Way.BACK: crowded_returns(translation.vocabulary, shape.back),
            Way.NUMBERS: crowded_values(translation.vocabulary, self._running),
            Way.CALLS: CopiesLook(self.prepared.calls),
            Way.PARTS: PartsLook(translation),
            Way.NODES: NodesLook(translation.vocabulary),
        }
        looks = {way: look for way, look in every.items() if way in self.sought}
        before_nodes = STRUCTURES_BEFORE_NODES_OF_CALLS if Way.CALLS in self.taken else STRUCTURES_BEFORE_NODES
        return Looks(looks, lambda: len(self.prepared.slices) >= EARLY_SLICES, nodes_look=before_nodes)

    @property
    def _leaves_numbers(self) -> bool:
        """Whether numbers in nodes do not tell them apart, and those that run are not tracked."""
        return Way.NUMBERS in self.taken or self.attempt.leaves_numbers

    @property
    def _running(self) -> frozenset[str]:
        """The numbers that are left out with those in nodes."""
        labels = [edge.label for edge in self.automaton.cfa.edges]
        rounds = numbers_of_rounds(labels) if self.attempt.leaves_numbers else frozenset()
        return frozenset(v.name for v in running_numbers(labels) | rounds)

    def _class(self, shape: ShapeClass) -> ShapeClass:
        """The shape class with what the attempt and its ways change, and with their names."""
        words = [word for way, word in WORDS.items() if way in self.taken]
        end = self.automaton.memory.program.sentinel
        words += [f"with NULL in place of &{end.place}"] if end is not None else []
        values = False if self._leaves_numbers else shape.values
        zeros = Way.ZEROS in self.taken
        changed = replace(shape, name=", ".join([shape.name, *words]), values=values, zeros=zeros, tags=self.tags)
        return self.attempt.class_with_predicates(changed)

    @property
    def _precision(self) -> Precision:
        """All is tracked but numbers that are left out; cursors with copies do not tell nodes apart."""
        untracked = self._running if self._leaves_numbers else frozenset()
        cursors = copied_cursors(self.automaton.cfa)
        pointers = frozenset(v.name for v in self.automaton.memory.pointers if v not in cursors)
        return Precision(untracked_integers=untracked, separating=pointers if cursors else None)

    def _translate(self, shape: ShapeClass, markers: int) -> tuple[Translator, Translation]:
        translator = Translator(
            self.prepared.inlined,
            self.automaton.cfa,
            self._class(shape),
            malloc_may_fail=self.malloc_may_fail,
            whole_scope=self.attempt.whole_scope,
            precision=self._precision,
            markers=markers,
            memory=self.automaton.memory,
            lives=self.automaton.lives,
        )
        return translator, translator.translate()
