"""The abstract part of `kleene check`: a C program analysed with sets of three-valued structures.

Shape classes are tried from the most to the least demanding: what assumes acyclic structures is given up as soon as the
analysis itself reports that a cycle may be closed.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from kleene.analysis.input import completed
from kleene.analysis.limits import Watchdog
from kleene.cfa.graph import Cfa
from kleene.cfa.inline import inline
from kleene.cfa.operations import Operation, Place
from kleene.cfa.program import CProgram
from kleene.diagnostics import LimitReached
from kleene.domains.shape.domain import ShapeDomain, ShapeOptions
from kleene.engine.fixpoint import Reached, Schedule, solve
from kleene.semantics.coalesce import coalesced
from kleene.semantics.groups import CIRCULAR, Group, ShapeClass
from kleene.semantics.memory import Memory
from kleene.semantics.promote import promoted
from kleene.semantics.translate import Alarm, Translation, Translator
from kleene.structures.structure import Structure
from kleene.structures.tvs_reader import TvsStructure
from kleene.transformers.action import Action
from kleene.transformers.differencing import DifferencingOptions, derive
from kleene.transformers.rules import all_rules
from kleene.transformers.transformer import Transformer

MEMORY = 4 << 30
"""Bytes after which the analysis gives up."""
_CYCLE = "Closed cycle for acyclic predicate "
_BACK = re.compile(r"prev|pred|back|parent|father|up$|owner|head", re.IGNORECASE)


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
    cyclic: frozenset[str] = frozenset()
    reached: Reached[Structure] | None = None
    translation: Translation | None = None

    name = "shape"

    @property
    def proof(self) -> str:
        """How a property is proved."""
        return f"shape analysis ({self.shape_class})"


def analyse(
    program: CProgram,
    *,
    malloc_may_fail: bool,
    seconds: float,
    max_structures: int = 200_000,
    only_class: str | None = None,
) -> ShapeResult:
    """Analyse the program with the first shape class whose assumptions hold."""
    start = time.monotonic()
    if program.recursive_functions & set(program.reachable_functions):
        return _gave_up("recursion is not handled by the shape domain", start)
    try:
        inlined = inline(program)
    except LimitReached as limit:
        return _gave_up(str(limit), start)
    cfa = promoted(inlined.main.cfa)
    places = Memory(inlined, cfa).pointer_places
    result = _gave_up("there is no time left", start)
    for whole_scope in (False, True):
        left = seconds - (time.monotonic() - start)
        if left <= 0 or (whole_scope and not _only_leaks(result)):
            break
        plan = _Plan(
            inlined, cfa if whole_scope else coalesced(cfa, places), malloc_may_fail, whole_scope, max_structures
        )
        found = plan.run(left, only_class)
        if not whole_scope or (found.complete and _kinds(found) <= _kinds(result)):
            result = found
    result.seconds = time.monotonic() - start
    return result


def _only_leaks(result: ShapeResult) -> bool:
    """Whether blocks that seem to be lost, perhaps because a pointer that is not used again was forgotten, are all."""
    kinds = _kinds(result)
    return result.complete and "memory_leak" in kinds and kinds <= {"memory_leak", "memory_cleanup"}


def _kinds(result: ShapeResult) -> set[str]:
    return {alarm.kind for alarm in result.alarms}


@dataclass(frozen=True)
class _Plan:
    """One program, prepared; shape classes are tried on it from the most to the least demanding."""

    program: CProgram
    cfa: Cfa[Operation]
    malloc_may_fail: bool
    whole_scope: bool
    max_structures: int

    def run(self, seconds: float, only_class: str | None) -> ShapeResult:
        start = time.monotonic()
        shape: ShapeClass | None = first_class(Memory(self.program, self.cfa), only_class)
        result = _gave_up("there is no time left", start)
        while shape is not None and (left := seconds - (time.monotonic() - start)) > 0:
            translator = Translator(
                self.program,
                self.cfa,
                shape,
                malloc_may_fail=self.malloc_may_fail,
                whole_scope=self.whole_scope,
            )
            result = _run(translator.translate(), shape, left, self.max_structures)
            if not result.cyclic or only_class is not None:
                break
            shape = next_class(shape, result.cyclic, translator.symbols.groups)
        if result.cyclic:
            result.reason = "the heap may be cyclic, and no shape class for that was tried"
        return result


def first_class(memory: Memory, name: str | None = None) -> ShapeClass:
    """Everything acyclic but cells that a statement points to their own object; cells whose names say so point back.

    The name of a class may say otherwise.
    """
    back = frozenset(cell for cell in memory.cell_targets if _BACK.search(cell))
    if back == frozenset(memory.cell_targets) or (name is not None and not name.endswith("back pointers")):
        back = frozenset()
    if name is None:
        return _named(back, memory.self_loops)
    circular = frozenset(memory.cell_targets if name.startswith("circular") else ())
    return ShapeClass(name, not name.startswith("cyclic"), back, circular)


def _named(back: frozenset[str], circular: frozenset[str]) -> ShapeClass:
    name = "circular" if circular else "acyclic"
    return ShapeClass(f"{name} with back pointers" if back else name, back=back, circular=circular)


def next_class(shape: ShapeClass, cyclic: frozenset[str], groups: Sequence[Group]) -> ShapeClass | None:
    """What to try when the edges of some group may form a cycle; None if there is nothing more."""
    if not shape.acyclic:
        return None
    back, circular = shape.back, shape.circular
    for group in groups:
        if group.step not in cyclic:
            continue
        if group.kind == CIRCULAR:  # not even the forest was seen to be acyclic
            return ShapeClass("cyclic", acyclic=False, back=shape.back)
        if len(group.cells) == 2:
            back |= {group.cells[-1]}
        else:
            circular |= set(group.cells)
    if len(back) == 1 and circular and sum(len(set(g.cells) - back) for g in groups) == 1:
        circular |= back  # a doubly linked list is circular both ways
    following = _named(back, circular)
    return following if following != shape else ShapeClass("cyclic", acyclic=False, back=shape.back)


def _gave_up(reason: str, start: float) -> ShapeResult:
    return ShapeResult("none", [], False, reason, 0, 0, time.monotonic() - start)


def _run(translation: Translation, shape: ShapeClass, seconds: float, max_structures: int) -> ShapeResult:
    start = time.monotonic()
    vocabulary = translation.vocabulary
    domain = _DerivingDomain(vocabulary, all_rules(vocabulary, translation.rules), ShapeOptions())
    core = frozenset(p.name for p in vocabulary if p.definition is None)
    initial = completed(TvsStructure(translation.initial, core))

    def limits(reached: Reached[Structure]) -> None:
        if _cycles(domain):
            raise LimitReached(_CYCLE)
        if reached.generated > max_structures:
            raise LimitReached(f"more than {max_structures} structures")

    with Watchdog(seconds, MEMORY):
        reached = solve(translation.cfa, domain, [initial], Schedule(), check_limits=limits)
    alarms = [translation.alarms[e.text] for e in domain.log if e.text in translation.alarms]
    cyclic = _cycles(domain)
    return ShapeResult(
        shape.name,
        alarms,
        reached.complete and not cyclic and not domain.contradictions,
        _CYCLE if cyclic else reached.reason or _contradiction(domain),
        reached.generated,
        sum(len(store) for store in reached.stores.values()),
        time.monotonic() - start,
        cyclic,
        reached,
        translation,
    )


def _contradiction(domain: ShapeDomain) -> str:
    """Why a run whose updates contradict the rules proves nothing: what was discarded may have been a real heap."""
    for action, (_, structure) in domain.contradictions.items():
        breach = domain.coercer.explain(structure)
        if breach is not None:
            return f"the step '{action}' contradicts the rule {breach.rule} ({breach.rule.origin})"
    return ""


class _DerivingDomain(ShapeDomain):
    """The shape domain, with updates derived when an action is first used: many are never reached."""

    def transformer(self, action: Action) -> Transformer:
        found = self._transformers.get(action)
        if found is None:
            derived = derive(action, self.vocabulary, DifferencingOptions()).action
            found = self._transformers[action] = super().transformer(derived)
        return found


def _cycles(domain: ShapeDomain) -> frozenset[str]:
    """The predicates that were assumed to be acyclic and may not be."""
    return frozenset(e.text.removeprefix(_CYCLE) for e in domain.log if e.text.startswith(_CYCLE))


def place_text(place: Place) -> str:
    return f"{place.file}:{place.line}:{place.column}"
