"""The abstract part of `kleene check`: a C program analysed with sets of three-valued structures.

The attempts are in `attempts`; each tries shape classes from the most to the least demanding (`classes`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial

from kleene.analysis.c.shape.attempts import ATTEMPTS, Attempt, kinds_of_alarms
from kleene.analysis.c.shape.automaton import Automaton, automaton_of
from kleene.analysis.c.shape.last_reads import last_reads
from kleene.analysis.c.shape.plan import ALL_KINDS, PREPARED_ONLY, Analysed, Plan
from kleene.analysis.c.shape.run import (
    gave_up,
)
from kleene.analysis.c.shape.slices import COMMON_KINDS, run_slices
from kleene.analysis.c.shape.tags import NodesOfRuns, find_tags, nodes_of_runs
from kleene.analysis.c.shape.telling import Tell, silent
from kleene.analysis.limits import deep_formulas, stated_limit, within
from kleene.diagnostics import Limit, LimitReached
from kleene.domains.decomposed.products import TOO_CONNECTED
from kleene.domains.shape.domain import MOST_STRUCTURES
from kleene.passes.attempts.moves import Read, Store
from kleene.passes.attempts.owned.copies import moves_elements
from kleene.passes.attempts.slices.slicing import Slice
from kleene.passes.elements.slots import slot_sizes
from kleene.passes.facts.memory import Memory
from kleene.passes.preparation import Prepared
from kleene.results.shape import ShapeResult, Way
from kleene.semantics.translate import Alarm
from kleene.semantics.vocabulary.groups import ShapeClass
from kleene.semantics.vocabulary.tags import Tag

PREPARING = "calls, arrays and texts are prepared"
"""The progress before the first run: relations of numbers may take long in programs with several arrays."""
MANY_SLICES = 3
"""Slices from which they are tried at last, too: each may need another attempt, and the whole program all of them."""
PATIENT_SHARE = 0.1
"""The share of the time in which the plain attempt may have more structures than the others: a list of a few kinds of
nodes with a pointer to each has some 300,000, which take less than 5 s."""
CROWDED_FACTOR = 10
"""How many times as many structures an attempt may have that ended by their number, and is made once more at last."""
APART_SHARE = 0.6
"""The share of the time for attempts that take the heap apart: attempts on whole heaps have the rest."""
WHOLE_FORMS = frozenset({Way.OWNED, Way.CHOICES, Way.MEMBERS, Way.SLICES})
"""The ways that make all attempts again, at other forms of the program."""


def analyse(
    prepared: Prepared,
    *,
    malloc_may_fail: bool,
    seconds: float,
    max_structures: int | None = None,
    only_class: str | None = None,
    kinds: frozenset[str] = ALL_KINDS,
    ignored: frozenset[Alarm] = frozenset(),
    glance: bool = False,
    whole_heaps: bool = False,
    tell: Tell = silent,
    unfinished: list[ShapeResult] | None = None,
) -> ShapeResult:
    """Analyse the program with the first shape class whose assumptions hold.

    No attempt makes more than `max_structures`. Without this limit each has one of its own, but for the plain attempt:
    a part of the time is its limit, and at last all that is left.
    Only alarms of `kinds` matter, and none that is `ignored`. A glance makes the first attempts only. With
    `whole_heaps`, heaps are not taken apart. `unfinished` gets the results of runs without an end, also where the
    caller interrupts the analysis.
    """
    start = time.monotonic()
    most = MOST_STRUCTURES if max_structures is None else max_structures
    series = _Series(prepared, malloc_may_fail, most, only_class, kinds, start + seconds, tell)
    series.patience = PATIENT_SHARE * seconds if max_structures is None else 0.0
    series.ignored = ignored
    series.unfinished = unfinished if unfinished is not None else []
    result = gave_up(PREPARED_ONLY.format(stated_limit(seconds)), start)
    if prepared.slice is None:
        tell(PREPARING)
    ways = frozenset(Way) - ({Way.PARTS} if whole_heaps else set())
    if prepared.source.by_members:
        ways -= {Way.SLICES}  # they are those of the program, and one for the struct without its members
    if prepared.slice is not None:
        ways -= {*WHOLE_FORMS, Way.CALLS}
    elif only_class is None and prepared.calls.is_large_inlined:
        result = series.go(Way.CALLS, result)
        if Way.NODES in result.ways:
            result = series.go(Way.NODES, result)
            result = result if series.is_proof(result) else series.go(Way.CALLS, result, frozenset({Way.PARTS}))
        ways -= {Way.CALLS}
    if only_class is None and not series.is_proof(result) and (series.has_slots() or series.moves_elements()):
        result = series.go(Way.ZEROS, result) if series.has_slots() else result
        if not series.is_proof(result) and Way.OWNED in ways and series.has_owned():
            result, ways = series.go(Way.OWNED, result), ways - {Way.OWNED}
        for way in WHOLE_FORMS & result.ways & ways if not series.is_proof(result) else ():
            result, ways = series.go(way, result), ways - {way}
    if glance and not result.complete:
        result = series.run(ATTEMPTS[:1], result, ways)
    while not glance and not series.is_proof(result):
        series.ways_seen = frozenset()
        result = series.run([a for a in ATTEMPTS if a.way is None or a.way in ways], result, ways)
        if not series.ways_seen:
            break
        forms = (Way.NODES, Way.BACK, Way.OWNED, Way.CHOICES, Way.SLICES, Way.MEMBERS, Way.NUMBERS)
        dropped = next((way for way in forms if way in series.ways_seen), None)
        ways = ways - {dropped} if dropped is not None else frozenset()
    is_last = not glance and only_class is None and Way.SLICES in ways
    if is_last and not series.is_proof(result) and series.has_many_slices():
        result = series.go(Way.SLICES, result)
    series.is_last = bool(series.patience) and not glance
    last = sorted(series.crowded, key=lambda attempt: attempt is ATTEMPTS[0])  # it takes all the time that is left
    for attempt in dict.fromkeys(last if series.is_last else ()):
        if not series.is_proof(result):
            result = series.run([attempt], result, frozenset())
    if result.ways:
        result.reason = f"the time limit was reached after a run without an end: {result.reason}"
    if not series.stays_apart and result.together is None and not result.slices:
        result.shape_class = f"{result.shape_class}, on whole heaps: {TOO_CONNECTED}"
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
    ignored: frozenset[Alarm] = frozenset()
    """Alarms that do not matter."""
    ways_seen: frozenset[Way] = frozenset()
    """The ways to fewer structures for which runs ended early."""
    classes: dict[ShapeClass, ShapeClass] = field(default_factory=dict)
    """The last class that a run on the way to fewer structures tried, by the first one."""
    earlier: list[Analysed] = field(default_factory=list)
    """What complete runs on whole heaps have analysed so far, without a proof."""
    automata: list[Automaton] = field(default_factory=list)
    """The automata of attempts before."""
    unfinished: list[ShapeResult] = field(default_factory=list)
    """The results of runs without an end."""
    patience: float = 0.0
    """Seconds for which the plain attempt may have more structures than others."""
    crowded: list[Attempt] = field(default_factory=list)
    """The plain attempt, and the first of the others, if they ended by the number of structures without an alarm."""
    is_last: bool = False
    """Whether these are made once more, with more structures."""
    nodes_of_runs: NodesOfRuns | None = None
    """What runs put into nodes, once an attempt has asked for it."""
    reads: Set[Read | Store] | None = None
    """The reads and stores behind which cells die, once an attempt has asked for them."""
    stays_apart: bool = True
    """False if the parts of the heap became connected again and again."""

    def is_proof(self, result: ShapeResult) -> bool:
        return result.complete and not self._raised(result)

    def _raised(self, result: ShapeResult) -> Set[str]:
        """The kinds of alarms that matter."""
        return kinds_of_alarms(result, self.ignored) & self.kinds

    def has_many_slices(self) -> bool:
        """Whether slices are worth a try after all else; a program that is large if inlined has none."""
        if self.prepared.calls.is_large_inlined:
            return False
        slices = within(self.deadline - time.monotonic(), lambda: self.prepared.slices)
        return not isinstance(slices, LimitReached) and len(slices) >= MANY_SLICES

    def has_slots(self) -> bool:
        """Whether there are lists of slots, or one block is followed: what indices are for is known of these."""
        if self.prepared.follows_block:
            return True
        records = within(self.deadline - time.monotonic(), lambda: self.prepared.inlined.records)
        return not isinstance(records, LimitReached) and bool(slot_sizes(records.values()))

    def moves_elements(self) -> bool:
        """Whether parts of arrays of pointers are moved, which become no lists of slots then."""
        moves = within(self.deadline - time.monotonic(), lambda: moves_elements(self.prepared.inlined))
        return not isinstance(moves, LimitReached) and moves

    def has_owned(self) -> bool:
        """Whether there is an array of owned pointers whose blocks can be followed one at a time."""
        followed = within(self.deadline - time.monotonic(), lambda: self.prepared.by_owned)
        return isinstance(followed, Prepared)

    def go(self, way: Way, result: ShapeResult, sought: frozenset[Way] = frozenset(Way)) -> ShapeResult:
        """The result of the attempt that goes a way at once, or the given one if it is not better."""
        # the structures with zeros are few, or it is wrong; to follow one block does not prove all that zeros do
        sought = sought if way is not Way.ZEROS else WHOLE_FORMS - {Way.OWNED}
        return self.run([attempt for attempt in ATTEMPTS if attempt.way is way], result, sought)

    def run(self, attempts: Sequence[Attempt], result: ShapeResult, ways: frozenset[Way]) -> ShapeResult:
        """The best result, or the given one if none is better.

        The first attempts end early where they show one of the `ways` to fewer structures. After `no numbers`, the
        others do without numbers in nodes too, and after `parts` they take the heap apart. After `unread`, if it was
        better, they do without the members that nothing reads.
        """
        deadline = self.deadline
        taken: set[Way] = set()
        leaves_unread = False
        for row in attempts:
            attempt = row.without_unread if leaves_unread else row
            left = deadline - time.monotonic()
            raised = self._raised(result)
            is_first = row is attempts[0]
            applies = is_first or attempt.applies(result, raised)
            if not applies or (self.only_class is not None and not attempt.is_plain):
                continue
            if left <= 0:
                break
            if attempt.way is Way.PARTS:
                deadline = time.monotonic() + APART_SHARE * left
            here = taken | ({attempt.way} if attempt.way is not None else set())
            taken = here - {Way.CALLS, Way.BACK}
            if attempt.way is Way.CALLS:
                here |= result.ways & {Way.PARTS}
            plan = within(left, partial(self._plan, attempt, frozenset(here)))
            if isinstance(plan, LimitReached):
                result = gave_up(self._reason_without_plan(plan, left), time.monotonic()) if is_first else result
                break
            if plan is None:
                continue
            if attempt.way in WHOLE_FORMS:
                by = self.by_slices if attempt.way is Way.SLICES else partial(self.by_form, attempt.way)
                outcome = by((deadline - time.monotonic()) * attempt.share)
                return outcome if self.is_proof(outcome) else result
            outcome = self._outcome(replace(plan, best=result), deadline, ways)
            if attempt.way is Way.PARTS and not outcome.complete and not outcome.alarms:
                self.stays_apart &= outcome.reason != TOO_CONNECTED
                break  # whole heaps may do better
            if attempt.way is Way.NODES and not self.is_proof(outcome):
                break  # all nodes may do better
            better = outcome.complete and self._raised(outcome) <= raised
            helps = better and (not result.complete or self._raised(outcome) < raised)
            leaves_unread |= attempt.leaves_unread and helps
            if better or outcome.ways or (attempt.is_plain and not result.complete):
                result = outcome
        return result

    def _reason_without_plan(self, limit: LimitReached, seconds: float) -> str:
        """Why there is no result where a limit ended the preparation."""
        is_unprepared = limit.limit is Limit.TIME and not self.unfinished
        return PREPARED_ONLY.format(stated_limit(seconds)) if is_unprepared else str(limit)

    def _outcome(self, plan: Plan, deadline: float, ways: frozenset[Way]) -> ShapeResult:
        """The result of an attempt; `calls` takes the heap apart where this pays."""
        attempt, seconds = plan.attempt, (deadline - time.monotonic()) * plan.attempt.share
        order = list(Way)
        later = order[order.index(attempt.way) + 1 :] if attempt.way is not None else order
        later = [*later, *WHOLE_FORMS] if attempt.way is Way.ZEROS else later
        is_early = not (attempt.rewrites or attempt.sharpen is not None or attempt.whole_scope)
        sought = frozenset(later) & ways if is_early and Way.PARTS not in plan.taken else frozenset()
        outcome = self._run(replace(plan, sought=sought), seconds)
        self.ways_seen |= outcome.ways
        if attempt.way is Way.CALLS and Way.PARTS in outcome.ways:
            seconds = (deadline - time.monotonic()) * attempt.share
            outcome = self._run(replace(plan, taken=plan.taken | {Way.PARTS}), seconds)
        return outcome

    def by_form(self, way: Way, seconds: float) -> ShapeResult:
        """All attempts at another form of the program."""
        form, name = form_of(self.prepared, way)
        if form is None:
            return gave_up(f"there is no form by {name}", time.monotonic())
        result = self._analyse(form, self.kinds, self.ignored, seconds)
        result.shape_class = f"{result.shape_class}, by {name}"
        return result

    def by_slices(self, seconds: float) -> ShapeResult:
        """The slices of the program, one after the other, until one is no proof."""

        def analyse_slice(own: Slice, ignored: Set[Alarm], seconds: float, *, glance: bool = False) -> ShapeResult:
            kinds = self.kinds - COMMON_KINDS
            return self._analyse(Prepared(self.prepared.source, own), kinds, frozenset(ignored), seconds, glance)

        return run_slices(self.prepared, analyse_slice, self.kinds, seconds)

    def _analyse(
        self,
        prepared: Prepared,
        kinds: frozenset[str],
        ignored: frozenset[Alarm],
        seconds: float,
        glance: bool = False,
    ) -> ShapeResult:
        """All attempts, or the first ones, at another form of the program."""
        return analyse(
            prepared,
            malloc_may_fail=self.malloc_may_fail,
            seconds=seconds,
            max_structures=None if self.patience else self.max_structures,
            kinds=kinds,
            ignored=ignored,
            glance=glance,
            tell=self.tell,
            unfinished=self.unfinished,
        )

    def _run(self, plan: Plan, seconds: float) -> ShapeResult:
        start = time.monotonic()
        try:
            with deep_formulas():
                result = plan.run(seconds, self.only_class)
        except RecursionError:
            return gave_up("a formula is nested too deeply", start)
        is_crowded = not result.complete and not result.alarms and result.structures > self.max_structures
        if is_crowded and not plan.taken and not self.is_last:
            others = [attempt for attempt in self.crowded if attempt is not ATTEMPTS[0]]
            if plan.attempt is ATTEMPTS[0] or not others:
                self.crowded.append(plan.attempt)
        largest = max((r.structures for r in self.unfinished), default=0)
        if not result.complete and result.structures > largest:
            self.unfinished[:] = [result]
        return result

    def _plan(self, attempt: Attempt, taken: frozenset[Way]) -> Plan | None:
        """One attempt, prepared; None if it is the same as the one before."""
        prepared = self.prepared.by_calls if Way.CALLS in taken else self.prepared
        if Way.NODES in taken:
            prepared = self.prepared.by_every_call or self.prepared
        automaton = self._automaton(prepared, attempt) if prepared is not None else None
        if automaton is None:
            return None
        tags = self._tags(automaton.memory) if attempt.finds_tags else ()
        if attempt.finds_tags and not tags:
            return None
        leaks = "memory_leak" in self.kinds
        is_plain = attempt is ATTEMPTS[0]
        most = self.max_structures * (CROWDED_FACTOR if self.is_last and not is_plain else 1)
        fixed = (self.malloc_may_fail, most, leaks)
        plan = Plan(automaton, attempt, *fixed, taken, kinds=self.kinds, tell=self.tell, ignored=self.ignored)
        patience = (self.deadline - time.monotonic() if self.is_last else self.patience) if is_plain else 0.0
        return replace(plan, classes=self.classes, earlier=self.earlier, patience=patience, tags=tags)

    def _automaton(self, prepared: Prepared, attempt: Attempt) -> Automaton | None:
        reads: Set[Read | Store] = frozenset()
        if attempt.finds_moves:
            if attempt.concerns is not None and not attempt.concerns(prepared.memory):
                return None
            if self.reads is None:
                self.reads = last_reads(self.prepared.source, prepared.memory)
            reads = self.reads
        return automaton_of(prepared, attempt, self.automata, reads)

    def _tags(self, memory: Memory) -> tuple[Tag, ...]:
        if self.nodes_of_runs is None:
            self.nodes_of_runs = nodes_of_runs(self.prepared.source, memory, malloc_may_fail=self.malloc_may_fail)
        return find_tags(self.nodes_of_runs, memory)


def form_of(prepared: Prepared, way: Way) -> tuple[Prepared | None, str]:
    """Another form of the program, if there is one, and its name."""
    if way is Way.OWNED:
        return prepared.by_owned, "owned"
    return (prepared.by_choices, "choices") if way is Way.CHOICES else (prepared.by_members, "members")


def analyse_by_attempt(
    prepared: Prepared,
    attempt: Attempt,
    *,
    malloc_may_fail: bool,
    seconds: float,
    max_structures: int = MOST_STRUCTURES,
    only_class: str | None = None,
) -> ShapeResult | None:
    """One attempt alone; None if its rewriting changes nothing, there is nothing to choose, or one slice only.

    The tests use it: an earlier attempt would hide the errors of this one.
    """
    start = time.monotonic()
    series = _Series(prepared, malloc_may_fail, max_structures, only_class, ALL_KINDS, start + seconds)
    if attempt.way is Way.SLICES:
        return series.by_slices(seconds) if only_class is None and prepared.slices else None
    if attempt.way in WHOLE_FORMS:
        exists = only_class is None and form_of(prepared, attempt.way)[0] is not None
        return series.by_form(attempt.way, seconds) if exists else None
    taken = frozenset({attempt.way} if attempt.way is not None else ())
    plan = within(seconds, partial(series._plan, attempt, taken))
    if isinstance(plan, LimitReached):
        return gave_up(str(plan), start)
    if plan is None:
        return None
    return series._run(plan, seconds - (time.monotonic() - start))
