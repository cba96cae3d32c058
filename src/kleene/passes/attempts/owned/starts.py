"""The pointers to the starts of blocks, by way of sums and members."""

from __future__ import annotations

from kleene.cfa.expressions import AddressOf, Deref, Expression, Field, Index, PointerOffset
from kleene.passes.elements.chosen import bare


def start_of(pointer: Expression) -> Expression:
    """The pointer to the block into which a pointer leads, by sums and members."""
    match pointer:
        case PointerOffset(pointer=inner):
            return start_of(bare(inner))
        case AddressOf(target=place):
            start = start_of_place(place)
            return pointer if start is None else start
    return pointer


def start_of_place(place: Expression) -> Expression | None:
    """The pointer to the block that a place is in; None for a variable."""
    while isinstance(place, Field | Index):
        place = place.base
    return start_of(bare(place.pointer)) if isinstance(place, Deref) else None
