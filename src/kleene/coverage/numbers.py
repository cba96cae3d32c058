"""Numbers as an attempt follows them: as they are, by representatives, or as 0 and 1 on the two sides of a bound.

For images (`passes/zero_one_images.py`) the state must be covered for every bound; the bounds that differ are the
numbers of the state and those after them. A number from outside is followed as the representative of its range
(`passes/representatives.py`), one that the program names as itself: which of them it is, is left open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kleene.cfa.expressions import Deref, Expression, Field, Index, Variable, walk
from kleene.cfa.operations import expressions
from kleene.cfa.types import IntegerType
from kleene.passes.facts.integers import Key
from kleene.passes.facts.memory import Memory, Unmodelled
from kleene.passes.representatives import uses_of
from kleene.passes.zero_one_images import mapped_by_images

MAX_BOUNDS = 6
"""Bounds that are tried for one state."""
Chosen = frozenset[int]
"""The numbers by which the attempt may represent a number; one, if it is determined."""


class Plain:
    """Numbers are followed as they are."""

    def bounds(self, values: Iterable[tuple[Key, int]]) -> list[int]:
        """The cases that have to be covered one by one."""
        return [0]

    def choices(self, key: Key, value: int, bound: int) -> Chosen:
        return frozenset((value,))


class Images(Plain):
    """Numbers of some variables and cells are 0 below a bound and 1 from it on."""

    def __init__(self, memory: Memory) -> None:
        maps = mapped_by_images(memory)
        self.keys = {key for key, lvalue in _lvalues(memory) if maps(lvalue)}

    def bounds(self, values: Iterable[tuple[Key, int]]) -> list[int]:
        mapped = sorted({value for key, value in values if key in self.keys})
        several = sorted({bound for value in mapped for bound in (value, value + 1)})
        step = max(1, len(several) // MAX_BOUNDS)
        return several[::step] or [0]

    def choices(self, key: Key, value: int, bound: int) -> Chosen:
        return frozenset((int(value >= bound) if key in self.keys else value,))


class Representatives(Plain):
    """One number of each range represents the unknown numbers of the range."""

    def __init__(self, memory: Memory) -> None:
        uses = uses_of(memory)
        self.ranges: dict[Key, list[int]] = {}
        for key, lvalue in _lvalues(memory):
            numbers = sorted(c.value for c in uses.representatives(lvalue))
            if numbers:
                self.ranges[key] = numbers

    def choices(self, key: Key, value: int, bound: int) -> Chosen:
        numbers = self.ranges.get(key)
        if not numbers:
            return frozenset((value,))
        return frozenset((value, max((n for n in numbers if n <= value), default=numbers[0])))


MEANINGS: dict[str, Callable[[Memory], Plain]] = {"ranges": Representatives, "order": Images}
"""The meanings of numbers by the attempt; others follow them as they are."""


def _lvalues(memory: Memory) -> list[tuple[Key, Expression]]:
    """The integers of a program, each with the variable or the offset that stands for it."""
    lvalues: dict[tuple[Key, Expression], None] = {}
    operations = [*(a for g in memory.program.globals for a in g.initial), *(e.label for e in memory.cfa.edges)]
    for operation in operations:
        for expression in expressions(operation):
            for node in walk(expression):
                if isinstance(node.type, IntegerType) and isinstance(node, Variable | Field | Index | Deref):
                    lvalues.update(dict.fromkeys((key, node) for key in _keys(memory, node)))
    return list(lvalues)


def _keys(memory: Memory, lvalue: Expression) -> list[Key]:
    if isinstance(lvalue, Variable) and memory.kind(lvalue) == "integer":
        return [lvalue]
    if isinstance(lvalue, Field) and lvalue.bit_width is not None:
        return []
    try:
        return [offset for _, offset in memory.address_places(lvalue)]
    except Unmodelled:
        return []
