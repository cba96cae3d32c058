"""The result of the shape analysis of a C program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kleene.engine.fixpoint import Reached
from kleene.semantics.translate import Alarm, Translation
from kleene.structures.structure import Structure

if TYPE_CHECKING:
    from kleene.coverage.shapes import Followed


@dataclass
class ShapeResult:
    """The result of the shape analysis: alarms that may be real; complete and without alarms, it is a proof."""

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
    followed: Followed | None = None
    """The analysed automaton and its translator, for the coverage of real runs."""

    name = "shape"

    @property
    def proof(self) -> str:
        """The name of the proof method."""
        return f"{self.method} ({self.shape_class})"
