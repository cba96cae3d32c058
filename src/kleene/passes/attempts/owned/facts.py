"""What a location knows of the block that is followed, and of the pointers to such blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kleene.cfa.expressions import AddressOf, Variable
from kleene.cfa.types import IntegerType

NULL, BLOCK, OTHER, NOTHING, ELSE = "NULL", "block", "other", "nothing", "else"
"""What a pointer is: NULL, the block, another block that is not there, without a value, or what the automaton says."""
Tag = str | AddressOf
"""One of these words, or the address of a variable."""
NONE, LIVE, ENDED = "none", "live", "ended"
"""The block: none is chosen yet, it is there, it was freed."""

WORD = IntegerType(64, signed=True, name="long")
MOST_TOGETHER = 3
"""Arrays that are there at a time: two that are merged, and the one that gets their elements."""
MOST_COPIES = 3
"""Elements with the block that are followed: two while it is moved, and one behind a length."""
SLOT = Variable("$slot", WORD)
"""The number of the element that is followed, where an element is."""
Side = tuple[Variable, str, Variable]
"""The number of an element, a comparison, and an index: the element is before the index, at it, or behind it."""
AT_INDEX, BESIDE = "at", "not at"
"""The comparisons that a load has made: they hold until the index is set, or ways come together."""


def numbers_at(place: int, copies: int) -> tuple[Variable, ...]:
    """The numbers of the elements in which a member of an array has the block (`Facts.copies`)."""
    return tuple(Variable(f"$at{place}.{n}", WORD) for n in range(copies))


@dataclass(frozen=True)
class Facts:
    """What is known at a location. `slot` is what the followed element has; None if a block is followed."""

    tags: frozenset[tuple[Variable, Tag]] = frozenset()
    block: str = NONE
    copies: tuple[int, ...] = (0,)
    """Elements that have the block, for each of their members that are pointers, of each array: the members of array 0
    first. A pointer that is an element is its member 0. A member of an array is called by its place here."""
    arrays: frozenset[int] = frozenset()
    """The arrays that are there. One that is alone is array 0."""
    bases: frozenset[tuple[Variable, int]] = frozenset()
    """The array into which a pointer points if it points into one, as far as that is known, if there are several."""
    slot: Tag | None = None
    member: int = 0
    """The place of the member of the followed element."""
    sides: frozenset[Side] = frozenset()
    """On which side of indices the elements are that are followed: as it was where ways came together last."""

    def tag(self, variable: Variable) -> Tag:
        return dict(self.tags).get(variable, NOTHING)

    def with_tag(self, variable: Variable, tag: Tag) -> Facts:
        return replace(self, tags=frozenset({(v, t) for v, t in self.tags if v != variable} | {(variable, tag)}))

    @property
    def made(self) -> bool:
        """Whether an array is there."""
        return bool(self.arrays)

    @property
    def count(self) -> int:
        """How many elements have the block."""
        return sum(self.copies)

    def places(self, array: int) -> range:
        """The places of the members of an array."""
        members = len(self.copies) // MOST_TOGETHER
        return range(array * members, (array + 1) * members)

    def with_copies(self, place: int, change: int) -> Facts:
        """The facts where more or fewer elements have the block in a member."""
        return replace(self, copies=tuple(n + change * (m == place) for m, n in enumerate(self.copies)))

    def numbers(self, *places: int) -> tuple[Variable, ...]:
        """The numbers of the elements that are followed: all of them, or those of some members."""
        if self.slot is not None:
            return (SLOT,) if not places or self.member in places else ()
        return tuple(v for m in places or range(len(self.copies)) for v in numbers_at(m, self.copies[m]))

    def numbers_of(self, array: int) -> tuple[Variable, ...]:
        """The numbers of the followed elements of an array."""
        return self.numbers(*self.places(array))

    def base(self, pointer: object) -> frozenset[int]:
        """The arrays into which a pointer may point, if it points into one."""
        known = frozenset(n for v, n in self.bases if v == pointer) & self.arrays
        return known or self.arrays

    def with_base(self, pointer: Variable, array: int | None) -> Facts:
        """The facts where a pointer points into an array, or nothing is known of it any more."""
        kept = frozenset((v, n) for v, n in self.bases if v != pointer)
        new = kept if array is None else kept | {(pointer, array)}
        return self if new == self.bases else replace(self, bases=new)

    def only(self, live: frozenset[Variable]) -> Facts:
        """The facts about variables that are still read."""
        kept = frozenset((v, t) for v, t in self.tags if v in live)
        bases = frozenset((v, n) for v, n in self.bases if v in live)
        return self if (kept, bases) == (self.tags, self.bases) else replace(self, tags=kept, bases=bases)

    def loaded(self, number: Variable, comparison: str, index: Variable) -> Facts:
        """The facts after an element was read: later reads by this index are of the same element."""
        return replace(self, sides=self.sides | {(number, comparison, index)})

    def without_loads(self, indices: frozenset[Variable]) -> Facts:
        """The facts after indices were set."""
        kept = frozenset(s for s in self.sides if s[1] not in (AT_INDEX, BESIDE) or s[2] not in indices)
        return self if kept == self.sides else replace(self, sides=kept)

    @property
    def is_over(self) -> bool:
        """Whether the block was freed and nothing points to it or into it: then the choice says no more."""
        return self.block == ENDED and not self.count and not any(tag in (BLOCK, ELSE) for _, tag in self.tags)

    @property
    def has_block(self) -> bool:
        """Whether an element or a variable has the block."""
        return bool(self.count) or any(tag == BLOCK for _, tag in self.tags)

    def has_lost_in(self, after: Facts) -> bool:
        """Whether the block is lost after a step."""
        return self.block == LIVE == after.block and self.has_block and not after.has_block

    def reads_ended_in(self, after: Facts) -> bool:
        """Whether a variable gets the block after its end."""
        return self.block == ENDED and any(t == BLOCK and self.tag(v) != BLOCK for v, t in after.tags)

    def __str__(self) -> str:
        parts = sorted(f"{v} {tag}" for v, tag in self.tags)
        parts += [f"{self.block} in {' and '.join(map(str, self.copies))}"]
        parts += [f"made {' and '.join(map(str, sorted(self.arrays)))}" if self.made else "not made"]
        parts += sorted(f"{v} in array {n}" for v, n in self.bases)
        parts += [f"member {self.member}"] if self.slot is not None and self.member else []
        parts += sorted(f"{number} {operator} {index}" for number, operator, index in self.sides)
        return ", ".join(parts)
