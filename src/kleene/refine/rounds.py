"""The history of a refinement, round by round, as plain values for reports."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

from kleene.passes.facts.memory import StructureType
from kleene.refine.classes.finetune import Trial
from kleene.refine.classes.generators import Generator
from kleene.refine.conditions.cells import AnyCondition
from kleene.refine.heaps.recognise import Recognised
from kleene.refine.heaps.samples import Samples
from kleene.refine.model import Abstraction
from kleene.refine.tracking.cuts import Where
from kleene.refine.tracking.definition import NOTHING, TrackingDefinition
from kleene.refine.tracking.reasons import Reason
from kleene.refine.tree.reachability_tree import ErrorPath, Node

TRACKING, SAMPLING, SHAPE_CLASS = "tracking", "explicit heaps", "shape class"
SPOKEN, FAILS, DEPENDS = "interpolants", "what fails", "dependences"
"""The reasons to track a variable at a location."""


@dataclass(frozen=True)
class Look:
    """What was recognised of a structure type, and the sample heaps; a hint of the user needs none."""

    structure: StructureType
    recognised: Recognised
    samples: Samples | None = None


@dataclass
class Round:
    """One round: the abstraction that was too coarse, the path that showed it, and the refinement."""

    number: int
    abstraction: Abstraction
    nodes: int
    path: ErrorPath
    reason: Reason
    followed: ErrorPath
    """The path in the automaton with ghosts, for simulations; the same path where there are none."""
    others: tuple[ErrorPath, ...] = ()
    """Paths to other errors that the same tree shows: the pointers that they are about are tracked with the others."""
    tactic: str = ""
    """The name of the tactic that changed the abstraction (`tactics.TACTICS`)."""
    kinds: list[str] = field(default_factory=list)
    added: TrackingDefinition = NOTHING
    conditions: tuple[AnyCondition, ...] = ()
    """The conditions on integers that are tracked from now on."""
    active: list[tuple[str, Where]] = field(default_factory=list)
    """The new locations of tracked variables, by reason."""
    everywhere: Set[str] = frozenset()
    """The variables that are now tracked wherever they are live, and were not before."""
    looks: list[Look] = field(default_factory=list)
    """The data structures that were recognised, one for each structure type that is new."""
    explicit: list[Node] = field(default_factory=list)
    """Shape graphs of explicit nodes (Abstract), from which the tree continues."""
    sampled: list[Node] = field(default_factory=list)
    """The same for the nodes of the samples: their heaps and shape graphs."""
    trials: list[Trial] = field(default_factory=list)
    chosen: list[Generator] = field(default_factory=list)
    """The new generators: one for each structure type that gets one."""
    widened: bool = False
    kept: int = 0
    """Number of nodes of the tree that were kept from the previous round."""
    level: int = 0
    """Extent of FineTune's simulation: the path, the tree along its edges, or the whole tree."""
    outgrown: tuple[Generator, int] | None = None
    """A generator that was replaced by a finer one with a smaller tree, and the size of its tree in structures."""
    seconds: float = 0.0


@dataclass
class Counts:
    """Numbers of refinements, as in Table 1."""

    tracking: int = 0
    shape_class: int = 0
