"""The abstract part of `kleene check`: a C program analysed with sets of three-valued structures.

Shape classes are tried from the most to the least demanding: what assumes acyclic structures is given up as soon as the
analysis itself reports that a cycle may be closed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from kleene.analysis.input import completed
from kleene.analysis.limits import Watchdog
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Operation, Place
from kleene.cfa.program import CProgram
from kleene.core.verdict import PROPERTIES, kinds_of
from kleene.diagnostics import InternalCheckError, LimitReached
from kleene.domains.shape.calls import CallingShapeDomain
from kleene.domains.shape.domain import ShapeDomain, ShapeOptions
from kleene.domains.shape.specified import CYCLE, recorded_rules
from kleene.engine.check import uncovered, uncovered_by_calls
from kleene.engine.fixpoint import Reached, Schedule, solve
from kleene.engine.tabulate import Procedure, Tabulated, tabulate
from kleene.semantics.back_cells import back_cells
from kleene.semantics.calls import TOO_MANY
from kleene.semantics.coalesce import coalesced
from kleene.semantics.groups import CIRCULAR, Group, ShapeClass
from kleene.semantics.headers import header_cells
from kleene.semantics.lanes import lanes_seen
from kleene.semantics.loads import with_shared_loads
from kleene.semantics.memory import Memory
from kleene.semantics.order import with_images
from kleene.semantics.procedures import whole_program
from kleene.semantics.representatives import with_representatives
from kleene.semantics.translate import ERROR, Alarm, Translation, Translator
from kleene.structures.structure import Structure
from kleene.structures.tvs_reader import TvsStructure
from kleene.transformers.action import Action
from kleene.transformers.rules import all_rules

MEMORY = 4 << 30
"""Bytes after which the analysis gives up."""
PATIENCE = 1000
"""Structures after an alarm that may be due to a pointer that was forgotten too early."""
LOOK = 1000
"""Structures after which it is seen, for the first time, whether the cells are those of a skip list."""
AGAIN = 2
"""How many times as many structures as with lanes, which did not prove the program, are spent to do without."""
CLASSES = tuple(f"{kind}{back}" for kind in ("acyclic", "circular", "cyclic") for back in ("", " with back pointers"))
"""The shape classes that can be asked for by name."""
ALL_KINDS = kinds_of(PROPERTIES)
"""The kinds of alarms."""
_LEAK = "a block may be lost"
_LEAKS = frozenset(("memory_leak", "memory_cleanup"))
_LANES = "cells skip nodes of a list"
ATTEMPTS = (
    (False, ""),
    (False, "loads"),
    (True, ""),
    (False, "values"),
    (False, "ranges"),
    (False, "order"),
    (False, "children"),
    (False, "cells"),
)
"""Whether pointers are kept to the end of their scope, and what else tells the nodes of heaps apart."""
_REWRITTEN: Mapping[str, Callable[[Memory], Cfa[Operation]]] = {
    "loads": with_shared_loads,
    "ranges": with_representatives,
    "order": with_images,
}
"""The attempts that follow another automaton of the program."""
FEW_MARKERS, MANY_MARKERS = 2, 4
"""For how many objects of its caller a recursive function keeps a name."""


@dataclass
class ShapeResult:
    """What the abstract analysis says: alarms that may be real; none at all, and complete, is a proof."""

    shape_class: str
    alarms: list[Alarm]
    complete: bool
    reason: str
    structures: int
    stored: int
    seconds: float
    cyclic: Mapping[str, frozenset[str]] = field(default_factory=dict)
    lanes: tuple[str, ...] = ()
    """The cells that seem to skip nodes of a list that other cells make."""
    reached: Reached[Structure] | None = None
    translation: Translation | None = None
    method: str = "shape analysis"
    partial: bool = False
    """Whether only some pointers and cells are tracked."""

    name = "shape"

    @property
    def proof(self) -> str:
        """How a property is proved."""
        return f"{self.method} ({self.shape_class})"


def analyse(
    program: CProgram,
    *,
    malloc_may_fail: bool,
    seconds: float,
    max_structures: int = 200_000,
    only_class: str | None = None,
    kinds: frozenset[str] = ALL_KINDS,
) -> ShapeResult:
    """Analyse the program with the first shape class whose assumptions hold; only alarms of `kinds` matter."""
    start = time.monotonic()
    try:
        inlined = whole_program(program)
    except LimitReached as limit:
        return _gave_up(str(limit), start)
    memory = Memory(inlined, inlined.main.cfa, typed=True)
    result = _gave_up("there is no time left", start)
    for whole_scope, by in ATTEMPTS:
        left = seconds - (time.monotonic() - start)
        raised = _kinds(result) & kinds
        if (whole_scope and "memory_leak" not in raised) or (by and (only_class or not _may_help(by, result, raised))):
            continue
        if left <= 0:
            break
        plan = _plan(memory, whole_scope, by, malloc_may_fail=malloc_may_fail, max_structures=max_structures)
        if plan is None:
            continue
        plan = replace(plan, leaks="memory_leak" in kinds)
        found = plan.run(left / 2 if by == "loads" else left, only_class)  # what comes after it may help instead
        first = not whole_scope and not by
        if first or (not result.complete and not by) or (found.complete and _kinds(found) & kinds <= raised):
            result = found
    result.seconds = time.monotonic() - start
    return result


def analyse_alone(
    program: CProgram,
    whole_scope: bool,
    by: str,
    *,
    malloc_may_fail: bool,
    seconds: float,
    max_structures: int = 200_000,
    only_class: str | None = None,
) -> ShapeResult | None:
    """One row of ATTEMPTS, whether the rows before it leave something open or not; None if it does not apply.

    The tests use it: where another attempt comes first, what is wrong with this one would not be seen.
    """
    start = time.monotonic()
    try:
        inlined = whole_program(program)
    except LimitReached as limit:
        return _gave_up(str(limit), start)
    memory = Memory(inlined, inlined.main.cfa, typed=True)
    plan = _plan(memory, whole_scope, by, malloc_may_fail=malloc_may_fail, max_structures=max_structures)
    return None if plan is None else plan.run(seconds - (time.monotonic() - start), only_class)


def _plan(
    memory: Memory, whole_scope: bool, by: str, *, malloc_may_fail: bool, max_structures: int
) -> _Plan | None:
    """One row of ATTEMPTS for a program; None if it would follow the same automaton as the rows without a rewriting."""
    program, followed, places = memory.program, memory.cfa, memory.pointer_places
    if by in _REWRITTEN:
        followed = _REWRITTEN[by](memory)
        if followed == memory.cfa:
            return None
        places = Memory(program, followed, typed=True).pointer_places
    shared = coalesced(followed, places, whole_scope=whole_scope)
    return _Plan(program, shared, malloc_may_fail, whole_scope, max_structures, by)


def _may_help(by: str, result: ShapeResult, raised: Set[str]) -> bool:
    """Whether there are alarms, and more ways to tell nodes apart that might avoid them."""
    vocabulary = result.translation.vocabulary if result.translation is not None else ()
    if by == "loads":
        return bool(raised)
    if by in ("ranges", "order"):
        return result.complete and bool(raised - _LEAKS)
    start = {"children": "has[", "cells": "has[", "values": "@"}[by]
    return result.complete and bool(raised) and any(p.name.startswith(start) and not p.abstraction for p in vocabulary)


def _kinds(result: ShapeResult) -> Set[str]:
    return {alarm.kind for alarm in result.alarms}


@dataclass(frozen=True)
class _Plan:
    """One program, prepared; shape classes are tried on it from the most to the least demanding."""

    program: CProgram
    cfa: Cfa[Operation]
    malloc_may_fail: bool
    whole_scope: bool
    max_structures: int
    by: str = ""
    leaks: bool = True

    def run(self, seconds: float, only_class: str | None) -> ShapeResult:
        start = time.monotonic()
        shape: ShapeClass | None = first_class(Memory(self.program, self.cfa, typed=True), only_class)
        result = _gave_up("there is no time left", start)
        markers = FEW_MARKERS
        looks = only_class is None
        plain: ShapeClass | None = None
        with_lanes: ShapeResult | None = None
        while shape is not None and (left := seconds - (time.monotonic() - start)) > 0:
            translator = Translator(
                self.program,
                self.cfa,
                self._with_more(shape),
                malloc_may_fail=self.malloc_may_fail,
                whole_scope=self.whole_scope,
                markers=markers,
            )
            result = _run(
                translator.translate(),
                translator.symbols.shape,
                left / 2 if shape.lanes else left,
                self.max_structures if with_lanes is None else AGAIN * with_lanes.structures,
                forgets=self.leaks and not self.whole_scope and not only_class,
                groups=translator.symbols.groups if looks else (),
            )
            if markers == FEW_MARKERS and any(alarm.text.endswith(TOO_MANY) for alarm in result.alarms):
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

    def _with_more(self, shape: ShapeClass) -> ShapeClass:
        """The class with more ways to tell nodes apart."""
        if not self.by:
            return shape
        return replace(
            shape,
            name=f"{shape.name}, by {self.by}",
            cells=self.by == "cells",
            children=self.by == "children",
            values=self.by in ("values", "ranges", "order"),
        )


def first_class(memory: Memory, name: str | None = None) -> ShapeClass:
    """Everything acyclic but cells that a statement points to their own object; cells whose names say so point back.

    The name of a class may say otherwise.
    """
    back = back_cells(memory)
    if back == frozenset(memory.cell_targets) or (name is not None and not name.endswith("back pointers")):
        back = frozenset()
    if name is None:
        return _named(back, memory.self_loops, header_cells(memory) - back)
    circular = frozenset(memory.cell_targets if name.startswith("circular") else ())
    return ShapeClass(name, not name.startswith("cyclic"), back, circular)


def _named(back: frozenset[str], circular: frozenset[str], headers: frozenset[str]) -> ShapeClass:
    name = "circular" if circular - back else "acyclic"
    if back:
        name += " with circular back pointers" if circular and circular <= back else " with back pointers"
    return ShapeClass(name, back=back, circular=circular, headers=headers)


def next_class(shape: ShapeClass, cyclic: Mapping[str, frozenset[str]], groups: Sequence[Group]) -> ShapeClass | None:
    """What to try when the edges of some group may form a cycle; None if there is nothing more.

    `cyclic` has for the relations in which a cycle may be closed the edges that are written there: of several cells,
    the one that closes the cycle is taken to point back.
    """
    if not shape.acyclic:
        return None
    back, circular = shape.back, shape.circular
    for group in groups:
        if group.step not in cyclic:
            continue
        if group.kind == CIRCULAR:  # not even the forest was seen to be acyclic
            return ShapeClass("cyclic", acyclic=False, back=shape.back)
        closing = [c for c in group.cells if any(e == c or e.startswith(f"{c}+") for e in cyclic[group.step])]
        if len(closing) == 1 < len(group.cells):
            back |= set(closing)
        else:
            circular |= set(group.cells)
    if len(back) == 1 and circular and sum(len(set(g.cells) - back) for g in groups) == 1:
        circular |= back  # a doubly linked list is circular both ways
    following = _named(back, circular, shape.headers)
    return following if following != shape else ShapeClass("cyclic", acyclic=False, back=shape.back)


def _gave_up(reason: str, start: float) -> ShapeResult:
    return ShapeResult("none", [], False, reason, 0, 0, time.monotonic() - start)


def _run(
    translation: Translation,
    shape: ShapeClass,
    seconds: float,
    max_structures: int,
    *,
    forgets: bool = False,
    groups: Sequence[Group] = (),
) -> ShapeResult:
    """One shape class; `forgets` says that what seems to be a leak may be a pointer that was forgotten too early.

    Among the cells of the groups, lanes are looked for.
    """
    start = time.monotonic()
    leaks = {text for text, alarm in translation.alarms.items() if alarm.kind == "memory_leak"}
    look = _Look(translation.cfa.loop_heads, groups)
    try:
        with Watchdog(seconds, MEMORY):
            domain, initial = domain_of(translation)
            limits = _Limits(domain, max_structures, frozenset(leaks if forgets else ()), look)
            reached = _solved(translation, domain, initial, limits)
    except LimitReached as limit:  # before the iteration began, or while it was being ended
        return _gave_up(str(limit), start)
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
    """Whether an independent look at all structures confirms that no step leads out of them (design.md section 6).

    What does not hold is an internal error: also an alarm that this look raises and the analysis did not.
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
    """Why a run whose updates contradict the rules proves nothing: what was discarded may have been a real heap."""
    for action, (_, structure) in domain.contradictions.items():
        breach = domain.coercer.explain(structure)
        if breach is not None:
            return f"the step '{action}' contradicts the rule {breach.rule} ({breach.rule.origin})"
    return ""


@dataclass(frozen=True)
class _Look:
    """Looks for lanes among the cells of the groups, where loops begin: what is there is not half done."""

    heads: frozenset[str]
    groups: Sequence[Group]

    def __call__(self, reached: Reached[Structure]) -> tuple[str, ...]:
        stores = (reached.stores[head] for head in self.heads if self.groups and head in reached.stores)
        return lanes_seen((structure for store in stores for structure in store.elements()), self.groups)


@dataclass
class _Limits:
    """Ends a run whose assumptions are wrong, that is too large, or that goes on long after one of the given alarms."""

    domain: ShapeDomain
    max_structures: int
    doubtful: frozenset[str]
    look: _Look
    _until: int | None = None
    _next_look: int = LOOK

    def __call__(self, reached: Reached[Structure]) -> None:
        if _cycles(self.domain):
            raise LimitReached(CYCLE)
        if reached.generated > self.max_structures:
            raise LimitReached(f"more than {self.max_structures} structures")
        if reached.generated > self._next_look:
            self._next_look = 4 * reached.generated
            if self.look(reached):
                raise LimitReached(_LANES)
        if self._until is None and any(entry.text in self.doubtful for entry in self.domain.log):
            self._until = 2 * reached.generated + PATIENCE
        if self._until is not None and reached.generated > self._until:
            raise LimitReached(_LEAK)


class _AlarmDomain(CallingShapeDomain):
    """Nothing goes on behind an alarm, and one structure is enough to raise it."""

    def post(self, edge: Edge[Action], elements: Sequence[Structure]) -> list[Structure]:
        if edge.target != ERROR:
            return super().post(edge, elements)
        if not all(self.log.has(edge.source, message.text) for message in edge.label.messages):
            super().post(edge, elements)
        return []


def _cycles(domain: ShapeDomain) -> dict[str, frozenset[str]]:
    """The predicates that were assumed to be acyclic and may not be, and what is updated where a cycle may close."""
    found: dict[str, frozenset[str]] = {}
    for entry in domain.log:
        if entry.text.startswith(CYCLE):
            name = entry.text.removeprefix(CYCLE)
            found[name] = found.get(name, frozenset()) | {u.predicate for u in entry.action.updates}
    return found


def place_text(place: Place) -> str:
    return f"{place.file}:{place.line}:{place.column}"
