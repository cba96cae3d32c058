"""The abstract part of `kleene check`: a C program analysed with sets of three-valued structures.

Shape classes are tried from the most to the least demanding: what assumes acyclic structures is given up as soon as the
analysis itself reports that a cycle may be closed.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass

from kleene.analysis.input import completed
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.inline import inline
from kleene.cfa.operations import Place
from kleene.cfa.program import CProgram
from kleene.diagnostics import LimitReached
from kleene.domains.shape.domain import ShapeDomain, ShapeOptions
from kleene.engine.fixpoint import Reached, Schedule, solve
from kleene.semantics.memory import Memory
from kleene.semantics.predicates import ShapeClass
from kleene.semantics.promote import promoted
from kleene.semantics.translate import Alarm, Translation, Translator
from kleene.structures.structure import Structure
from kleene.structures.tvs_reader import TvsStructure
from kleene.transformers.action import Action
from kleene.transformers.differencing import DifferencingOptions, derive
from kleene.transformers.rules import all_rules

_CYCLE = "Closed cycle"
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
    cfa = promoted(inlined.main.cfa)
    result = _gave_up("there is no shape class for this program", start)
    for shape in classes(Memory(inlined, cfa)):
        if only_class is not None and shape.name != only_class:
            continue
        left = seconds - (time.monotonic() - start)
        if left <= 0:
            break
        translation = Translator(inlined, cfa, shape, malloc_may_fail=malloc_may_fail).translate()
        result = _run(translation, shape, left, max_structures)
        if result.reason != _CYCLE:
            break
    result.seconds = time.monotonic() - start
    if result.reason == _CYCLE:
        result.reason = "the heap may be cyclic, and no shape class for that was tried"
    return result


def classes(memory: Memory) -> Iterator[ShapeClass]:
    """The shape classes to try for a program, best first."""
    back = frozenset(o for o, name in memory.cell_names.items() if _BACK.search(name.rpartition(".")[2]))
    forward = frozenset(memory.cell_offsets) - back
    if back and forward:
        yield ShapeClass("acyclic with back pointers", back=back)
    yield ShapeClass("acyclic")
    if back and forward:
        yield ShapeClass("cyclic with back pointers", acyclic=False, back=back)
    yield ShapeClass("cyclic", acyclic=False)


def _gave_up(reason: str, start: float) -> ShapeResult:
    return ShapeResult("none", [], False, reason, 0, 0, time.monotonic() - start)


def _run(translation: Translation, shape: ShapeClass, seconds: float, max_structures: int) -> ShapeResult:
    start = time.monotonic()
    vocabulary = translation.vocabulary
    derived: dict[Action, Action] = {}
    for edge in translation.cfa.edges:
        if edge.label not in derived:
            derived[edge.label] = derive(edge.label, vocabulary, DifferencingOptions()).action
    cfa = Cfa(
        translation.cfa.entry,
        tuple(Edge(e.source, derived[e.label], e.target) for e in translation.cfa.edges),
    )
    domain = ShapeDomain(vocabulary, all_rules(vocabulary, translation.rules), ShapeOptions())
    core = frozenset(p.name for p in vocabulary if p.definition is None)
    initial = completed(TvsStructure(translation.initial, core))

    def limits(reached: Reached[Structure]) -> None:
        if any(entry.text.startswith(_CYCLE) for entry in domain.log):
            raise LimitReached(_CYCLE)
        if reached.generated > max_structures:
            raise LimitReached(f"more than {max_structures} structures")
        if time.monotonic() - start > seconds:
            raise LimitReached(f"the time limit of {seconds:.0f} s was reached")

    reached = solve(cfa, domain, [initial], Schedule(), check_limits=limits)
    alarms = [translation.alarms[e.text] for e in domain.log if e.text in translation.alarms]
    cycle = any(e.text.startswith(_CYCLE) for e in domain.log)
    return ShapeResult(
        shape.name,
        alarms,
        reached.complete and not cycle,
        _CYCLE if cycle else reached.reason or "",
        reached.generated,
        sum(len(store) for store in reached.stores.values()),
        time.monotonic() - start,
        reached,
        translation,
    )


def place_text(place: Place) -> str:
    return f"{place.file}:{place.line}:{place.column}"
