"""The slots of one type of elements: an element and the following slot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from kleene.cfa.expressions import Cast, Comparison, Constant, Deref, Expression, Field
from kleene.cfa.types import PointerType, RecordField, RecordLayout, RecordType, Type

SLOT = "slot of "
"""How the names of the record types of slots begin."""


def leads_to_array(type_: Type) -> bool:
    """Whether a pointer stands for an array that is a variable or a member: nothing else has its address."""
    return isinstance(type_, PointerType) and type_.count > 0


def slot_sizes(records: Iterable[RecordLayout]) -> frozenset[int]:
    """The sizes of slots: an object of that size stands for an array."""
    return frozenset(layout.type.size for layout in records if layout.type.name.startswith(SLOT))


def array_spots(records: Mapping[str, RecordLayout]) -> dict[int, list[tuple[int, int]]]:
    """The bytes of arrays that have become pointers, in the structs of each size: first, and one behind the last."""

    def inside(layout: RecordLayout, base: int) -> Iterator[tuple[int, int]]:
        for member in layout.fields:
            start = base + member.offset
            if isinstance(member.type, PointerType) and member.type.count:
                yield start, start + member.type.count * member.type.target.size
            elif isinstance(member.type, RecordType) and member.type.name in records:
                yield from inside(records[member.type.name], start)

    spots: dict[int, list[tuple[int, int]]] = {}
    for layout in records.values():
        own = list(inside(layout, 0))
        if own:
            spots.setdefault(layout.type.size, []).extend(own)
    return spots


def flexible_spots(before: Mapping[str, RecordLayout], after: Mapping[str, RecordLayout]) -> dict[int, int]:
    """Where flexible array members begin that have become pointers, in the structs of each size with such a pointer."""
    grown = [(before[name], layout) for name, layout in after.items() if name in before]
    return {new.type.size: old.fields[-1].offset for old, new in grown if new.type.size != old.type.size}


@dataclass(frozen=True)
class Slot:
    """The record type of the slots of elements of one type."""

    element: Type
    record: RecordType
    link: int
    """The offset of the pointer to the following slot."""
    pointer: PointerType

    @property
    def layout(self) -> RecordLayout:
        fields = (RecordField("element", self.element, 0), RecordField("following", self.pointer, self.link))
        return RecordLayout(self.record, fields)

    def as_slot(self, pointer: Expression) -> Expression:
        """A pointer to an element, as one to its slot."""
        return pointer if pointer.type == self.pointer else Cast(pointer, self.pointer)

    def following(self, pointer: Expression) -> Expression:
        return Field(Deref(self.as_slot(pointer), self.record), "following", self.pointer, self.link)

    def element_of(self, pointer: Expression) -> Expression:
        return Field(Deref(self.as_slot(pointer), self.record), "element", self.element, 0)

    @property
    def null(self) -> Constant:
        return Constant(0, self.pointer)

    def is_end(self, pointer: Expression) -> Comparison:
        """Whether a pointer is behind the last element."""
        return Comparison("==", self.following(pointer), self.null)


def slot_of(element: Type, sizes: Iterable[int], width: int) -> Slot:
    """The slots of a type of elements, of a size that no other object has."""
    link = -(-element.size // width) * width
    size = link + width
    taken = {int(s) for s in sizes}
    while size in taken:
        size += width
    record = RecordType(f"{SLOT}{element}", size)
    return Slot(element, record, link, PointerType(record, width))
