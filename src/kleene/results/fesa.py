"""The result of the FESA analysis of a C program."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Operation
from kleene.domains.fesa.functions import Statistics
from kleene.engine.fixpoint import Reached
from kleene.passes.facts.memory import Memory
from kleene.semantics.steps.context import Alarm

if TYPE_CHECKING:
    from kleene.domains.fesa.calls.calling import CallingFesaDomain
    from kleene.domains.fesa.heap import State


@dataclass
class FesaResult:
    """The result of the FESA analysis; complete and without alarms, it is a proof."""

    alarms: list[Alarm]
    complete: bool
    reason: str
    seconds: float
    structures: int = 0
    shape_class: str = "FESA"
    notes: list[str] = field(default_factory=list)
    statistics: Statistics = field(default_factory=Statistics)
    reached: Reached[State] | None = None
    cfa: Cfa[Operation] | None = None
    domain: CallingFesaDomain | None = None
    initial: State | None = None
    parents: bool = True
    """Whether lost blocks were looked for; if not, memory safety is open for another reason."""
    by: str = ""
    """What the numbers of the program were followed as: themselves, images (`order`), or fewer tests (`numbers`)."""
    source: Memory | None = None
    """The memory before numbers were replaced."""

    name = "fesa"
    partial = False

    @property
    def proof(self) -> str:
        """The name of the proof method."""
        return f"FESA, by {self.by}" if self.by else "FESA"
