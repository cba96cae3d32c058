"""The result of a run for reports: plain values, without any dependency on engines or domains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from kleene.diagnostics import Position
from kleene.structures.structure import Structure

VERIFIED, MESSAGES, INCOMPLETE = "verified", "messages", "incomplete"
"""The verdicts of a run."""


@dataclass(frozen=True)
class MessageReport:
    """A message that fired at a location: how often, on which structures (examples), and from which action.

    `definite`: the condition was 1, not only 1/2, on at least one structure.
    """

    location: str
    text: str
    count: int
    definite: bool
    structures: tuple[Structure, ...]
    action: str
    position: Position | None = None


@dataclass(frozen=True)
class LocationReport:
    """The structures that a location ends with, and the messages of the actions that leave it."""

    name: str
    structures: tuple[Structure, ...]
    messages: tuple[MessageReport, ...] = ()

    @property
    def max_nodes(self) -> int:
        return max((s.size for s in self.structures), default=0)

    @property
    def message_count(self) -> int:
        return sum(m.count for m in self.messages)


@dataclass(frozen=True)
class Statistics:
    """Counts of one run; `stored` and `generated` are counted as TVLA counts them."""

    stored: int
    generated: int
    messages: int
    constraints: int
    iterations: int
    discarded: int
    max_nodes: int
    peak_memory_bytes: int


@dataclass(frozen=True)
class Stage:
    """The structures after one step of an action; a structure discarded there comes with the reason."""

    name: str
    structures: tuple[tuple[Structure, str | None], ...]


@dataclass(frozen=True)
class Explanation:
    """The stages of an action on `structure` from `source` to `location` (thesis Fig. 8).

    `structure` is the input; each stage has the results of one step, the last stage those of the action.
    """

    location: str
    structure: Structure
    source: str
    action: str
    stages: tuple[Stage, ...]


State = tuple[str, int]
"""A structure of a result: its location, and its place among the structures there."""


@dataclass(frozen=True, slots=True)
class Transition:
    """One step of the derivation graph."""

    source: State
    action: str
    target: State


@dataclass(frozen=True, slots=True)
class Transitions:
    """The derivation graph of a result (thesis section 8.3); `initial` are the states of the input structures."""

    initial: tuple[State, ...]
    edges: tuple[Transition, ...]


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """The answer to a question about the derivation graph; without `holds`, `path` may be a run that refutes it.

    The path is a sequence of (action, state); the first action is empty.
    """

    query: str
    holds: bool
    path: tuple[tuple[str, State], ...] = ()


@dataclass(frozen=True)
class RunReport:
    """The result of one analysis. `edges` are (source, action title, target); `seconds` are per phase.

    `shown_locations` are the locations that the program asks to print; none at all means all of them. `rules` are the
    consistency rules with their dependencies, if they were asked for.
    """

    program: str
    verdict: str
    reason: str | None
    locations: tuple[LocationReport, ...]
    shown_locations: tuple[str, ...]
    edges: tuple[tuple[str, str, str], ...]
    entry: str
    statistics: Statistics
    seconds: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    warnings: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    explanations: tuple[Explanation, ...] = ()
    rules: tuple[str, ...] = ()
    transitions: Transitions | None = None
    answers: tuple[QueryAnswer, ...] = ()

    @property
    def messages(self) -> tuple[MessageReport, ...]:
        return tuple(message for location in self.locations for message in location.messages)

    @property
    def total_seconds(self) -> float:
        """Loading and analysis; the other entries of `seconds` are parts of these."""
        return self.seconds.get("load", 0.0) + self.seconds.get("analysis", 0.0)

    @property
    def structures_per_second(self) -> float | None:
        analysis = self.seconds.get("analysis", 0.0)
        return self.statistics.generated / analysis if analysis > 0 else None

    def is_shown(self, location: str) -> bool:
        return not self.shown_locations or location in self.shown_locations
