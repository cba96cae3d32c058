"""Abstract error paths: the path through the program on which the shape analysis reaches an alarm.

The analysis runs again and records every step. From the step that raised the alarm, the path is built backwards: to a
step that led to its structure, or to one of the structures joined into it, until the entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from kleene.analysis.c.shape.run import domain_of
from kleene.analysis.limits import MOST_MEMORY, Watchdog
from kleene.cfa.graph import Edge
from kleene.cfa.operations import Assume, Operation
from kleene.cfa.program import CProgram
from kleene.diagnostics import Limit, LimitReached
from kleene.domains.shape.messages import MessageLog
from kleene.engine.fixpoint import Reached, Schedule, solve
from kleene.results.confirmation import Path
from kleene.results.shape import ShapeResult
from kleene.semantics.translate import ERROR, Alarm, Translation
from kleene.structures.embedding import embeds
from kleene.structures.structure import Structure

MOST_STRUCTURES = 20_000
"""Structures of the largest analysis that is run again to record its paths."""


class Trail:
    """A listener that records every step; from `log` it knows which step first raised an alarm."""

    def __init__(self, log: MessageLog) -> None:
        self.log = log
        self.steps: list[tuple[Edge[Any], Structure, tuple[Structure, ...]]] = []
        self.towards: dict[str, list[int]] = {}
        self.errors: dict[str, int] = {}

    def on_location(self, location: str, batch: int) -> None:
        """Nothing to write down."""

    def on_edge(self, edge: Edge[Any], source: Any, results: Sequence[Any]) -> None:
        number = len(self.steps)
        self.steps.append((edge, source, tuple(results)))
        self.towards.setdefault(edge.target, []).append(number)
        for message in edge.label.messages if edge.target == ERROR else ():
            if self.log.has(edge.source, message.text):
                self.errors.setdefault(message.text, number)

    def back(self, number: int) -> list[Edge[Any]]:
        """The steps that led to a step, and it, in order; empty if its beginning is not found."""
        edges = [self.steps[number][0]]
        while (before := self._before(number)) is not None:
            number = before
            edges.append(self.steps[number][0])
        return edges[::-1]

    def _before(self, number: int) -> int | None:
        edge, source, _ = self.steps[number]
        earlier = [n for n in self.towards.get(edge.source, ()) if n < number]
        for n in earlier:
            if source in self.steps[n][2]:
                return n
        return next((n for n in earlier if any(embeds(r, source) for r in self.steps[n][2])), None)


def error_paths(result: ShapeResult, program: CProgram, seconds: float) -> dict[Alarm, Path]:
    """A path of the (prepared) program to each alarm of the analysis, as far as there is time."""
    translation = result.translation
    if translation is None or translation.procedures or result.structures > MOST_STRUCTURES or not result.alarms:
        return {}
    domain, initial = domain_of(translation)
    trail = Trail(domain.log)

    def limits(reached: Reached[Structure]) -> None:
        if len(trail.errors) >= len(result.alarms):
            raise LimitReached("every alarm has its path", Limit.DONE)

    with Watchdog(seconds, MOST_MEMORY):
        solve(translation.cfa, domain, [initial], Schedule(trace=True), listeners=[trail], check_limits=limits)
    paths: dict[Alarm, Path] = {}
    with suppress(LimitReached), Watchdog(seconds, MOST_MEMORY):
        for text, number in trail.errors.items():
            path = _path(translation, trail.back(number), program)
            if text in translation.alarms and path:
                paths.setdefault(translation.alarms[text], path)
    return paths


def _path(translation: Translation, steps: Sequence[Edge[Any]], program: CProgram) -> Path:
    """The operations that the steps belong to, each once."""
    origins = {id(edge): origin for edge, origin in zip(translation.cfa.edges, translation.origins, strict=True)}
    if not steps or steps[0].source != translation.cfa.entry:
        return []
    path: Path = []
    for step in steps:
        origin = origins[id(step)]
        if origin is not None and step.source == origin.source:
            own = _own_edge(program, origin)
            if own is None:
                return []
            path.append(own)
    return path


def _own_edge(program: CProgram, edge: Edge[Operation]) -> Edge[Operation] | None:
    """The edge of the program before variables were shared: a location has one edge, or two with a condition."""
    truth = edge.label.truth if isinstance(edge.label, Assume) else None
    for own in program.main.cfa.leaving(edge.source):
        if own.target == edge.target and truth == (own.label.truth if isinstance(own.label, Assume) else None):
            return own
    return None
