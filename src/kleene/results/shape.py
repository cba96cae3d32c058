"""The result of the shape analysis of a C program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from kleene.domains.decomposed.products import Product
from kleene.engine.fixpoint import Reached
from kleene.semantics.translate import Alarm, Translation
from kleene.structures.structure import Structure

if TYPE_CHECKING:
    from kleene.coverage.shapes import Followed
    from kleene.domains.decomposed.partition import Roots


class Way(Enum):
    """A way to fewer structures that a run may show; the value says why it ends there."""

    OWNED = "one block of an array can be followed from element to element"
    CHOICES = "locations can know which element of an array is meant"
    MEMBERS = "a block of the heap that is made once leads to the structures"
    SLICES = "the program has several data structures"
    BACK = "pointers to other nodes lead back from few of them"
    ZEROS = "what indices are for is known of the slots of their arrays"
    NUMBERS = "numbers in nodes, or numbers that are counted on, multiply the structures"
    CALLS = "the structures are in copies of few functions"
    PARTS = "the structures are combinations of few parts"
    NODES = "the structures differ in nodes that no variable points to"


@dataclass
class ShapeResult:
    """The result of the shape analysis: alarms that may be real; complete and without alarms, it is a proof."""

    shape_class: str
    alarms: list[Alarm]
    complete: bool
    reason: str
    structures: int
    seconds: float
    cyclic: Mapping[str, frozenset[str]] = field(default_factory=dict)
    lanes: tuple[str, ...] = ()
    """The cells that seem to skip nodes of a list that other cells make."""
    reached: Reached[Structure] | Reached[Product] | None = None
    translation: Translation | None = None
    method: str = "shape analysis"
    partial: bool = False
    """Whether only some pointers and cells are tracked."""
    followed: Followed | None = None
    """The analysed automaton and its translator, for the coverage of real runs."""
    ways: frozenset[Way] = frozenset()
    """The ways to fewer structures for which the run ended early."""
    together: tuple[Roots, ...] | None = None
    """If the heap was taken apart: the pointers and facts that were kept together."""
    cases: tuple[Roots, ...] = ()
    """If the heap was taken apart: the numbers whose values were kept apart."""
    slices: tuple[ShapeResult, ...] = ()
    """If each data structure was analysed by itself: the results, which are one proof together."""
    join: str = "part"
    """How the structures of a location were joined."""
    suspects: frozenset[str] = frozenset()
    """If the heap was taken apart: the pointers and facts that the first alarm of each kind is about."""

    name = "shape"

    @property
    def proof(self) -> str:
        """The name of the proof method."""
        return f"{self.method} ({self.shape_class})"

    @property
    def apart(self) -> frozenset[str]:
        """The functions that were analysed apart though they could be inlined."""
        first = self.slices[0] if self.slices else self
        return first.followed.memory.program.apart if first.followed is not None else frozenset()

    def parts_at(self, location: str) -> list[tuple[Structure, Roots | None]]:
        """The structures of a location. Where the heap was taken apart, each part comes with its roots."""
        store = self.reached.stores.get(location) if self.reached is not None else None
        parts_at: list[tuple[Structure, Roots | None]] = []
        for element in store.elements() if store is not None else ():
            if isinstance(element, Product):
                parts_at += [(part, own) for own in element.partition for part in element.sets[own]]
                parts_at += [(part, frozenset()) for part in element.adrift]
            else:
                assert isinstance(element, Structure)
                parts_at.append((element, None))
        return parts_at
