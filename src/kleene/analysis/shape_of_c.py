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
from kleene.cfa.inline import inline
from kleene.cfa.operations import Place
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
    cfa = coalesced(promoted(inlined.main.cfa))
    shape: ShapeClass | None = first_class(Memory(inlined, cfa))
    result = _gave_up("there is no shape class for this program", start)
    while shape is not None:
        left = seconds - (time.monotonic() - start)
        if left <= 0:
            break
        translator = Translator(inlined, cfa, shape, malloc_may_fail=malloc_may_fail)
        result = _run(translator.translate(), shape, left, max_structures)
        if not result.cyclic:
            break
        shape = next_class(shape, result.cyclic, translator.symbols.groups)
    result.seconds = time.monotonic() - start
    if result.cyclic:
        result.reason = "the heap may be cyclic, and no shape class for that was tried"
    return result


def first_class(memory: Memory) -> ShapeClass:
    """Everything acyclic; cells whose names say so point back."""
    back = frozenset(cell for cell in memory.cell_targets if _BACK.search(cell))
    if back and back != frozenset(memory.cell_targets):
        return ShapeClass("acyclic with back pointers", back=back)
    return ShapeClass("acyclic")


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
        if len(group.cells) == 1:
            circular |= group.cells
        elif len(group.cells) == 2:
            back |= {max(group.cells)}
        else:
            circular |= group.cells
    name = "circular" if circular else "acyclic"
    return ShapeClass(f"{name} with back pointers" if back else name, back=back, circular=circular)


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
        reached.complete and not cyclic,
        _CYCLE if cyclic else reached.reason or "",
        reached.generated,
        sum(len(store) for store in reached.stores.values()),
        time.monotonic() - start,
        cyclic,
        reached,
        translation,
    )


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
