"""What a refinement did, round by round, as plain values for reports."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

from kleene.refine.classes.finetune import Trial
from kleene.refine.classes.generators import Generator
from kleene.refine.heaps.recognise import Recognised
from kleene.refine.heaps.samples import Samples
from kleene.refine.model import Abstraction
from kleene.refine.tracking.cuts import Where
from kleene.refine.tracking.definition import NOTHING, TrackingDefinition
from kleene.refine.tracking.reasons import Reason
from kleene.refine.tree.reachability_tree import ErrorPath, Node

TRACKING, SAMPLING, SHAPE_CLASS = "tracking", "explicit heaps", "shape class"
SPOKEN, FAILS, DEPENDS = "interpolants", "what fails", "dependences"
"""Why something is tracked where it is."""


@dataclass
class Round:
    """One round: the abstraction that was too coarse, the path that showed it, and what was done about it."""

    number: int
    abstraction: Abstraction
    nodes: int
    path: ErrorPath
    reason: Reason
    others: tuple[ErrorPath, ...] = ()
    """Paths to other errors that the same tree shows: the pointers that they are about are tracked with the others."""
    tactic: str = ""
    """The name of the tactic that changed the abstraction (`tactics.TACTICS`)."""
    kinds: list[str] = field(default_factory=list)
    added: TrackingDefinition = NOTHING
    active: list[tuple[str, Where]] = field(default_factory=list)
    """The locations at which variables are tracked from now on, by what says that they are to be tracked there."""
    everywhere: Set[str] = frozenset()
    """The variables that are tracked wherever they are live, from now on, and were not before."""
    samples: Samples | None = None
    explicit: list[Node] = field(default_factory=list)
    """What Abstract made of explicit nodes, for the tree to go on from."""
    sampled: list[Node] = field(default_factory=list)
    """The same for the nodes of the samples: their heaps, and the shape graphs that they are abstracted to."""
    recognised: Recognised | None = None
    trials: list[Trial] = field(default_factory=list)
    chosen: Generator | None = None
    widened: bool = False
    kept: int = 0
    """How many nodes of the tree are those of the round before."""
    level: int = 0
    """What FineTune simulated: the path, the tree along its edges, or the whole tree."""
    outgrown: tuple[Generator, int] | None = None
    """A generator that was left for a finer one with a smaller tree, and how many structures its tree had by then."""
    seconds: float = 0.0


@dataclass
class Counts:
    """How often what was refined, as in Table 1."""

    tracking: int = 0
    shape_class: int = 0
