"""Reads that stay: an operation on a block that is not there, or on an element, may read other memory, too.

In ``a[i]->size < last->size`` the first read has no meaning where ``a[i]`` is a block that is left out. The second one
has: `last` may be NULL, or the block that is followed and was freed. In ``last->list[a[i]->size]`` the place itself
depends on a block that is left out, so nothing is known of the access.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set

from kleene.cfa.expressions import (
    AddressOf,
    Deref,
    Expression,
    Field,
    Index,
    Variable,
    children,
    has_dereference,
    walk,
)
from kleene.cfa.operations import Operation, Print, Unsupported, expressions
from kleene.cfa.types import RecordType
from kleene.passes.attempts.owned.selection import Owned
from kleene.passes.attempts.owned.starts import start_of_place


class Reads:
    """The values that operations read through pointers and indices."""

    def __init__(self, own: Owned, flat: Callable[[Expression], Expression]) -> None:
        self.own, self.flat = own, flat
        self._plain: dict[Operation, bool] = {}

    def _is_plain(self, label: Operation) -> bool:
        """Whether an operation reads and writes variables only: most do."""
        plain = self._plain.get(label)
        if plain is None:
            nodes = (n for x in expressions(label) for n in walk(x))
            plain = self._plain[label] = not any(isinstance(n, Deref | Field | Index) for n in nodes)
        return plain

    def hide_place(self, label: Operation, hidden: Set[Variable]) -> bool:
        """Whether a place in memory that is there depends on a block that is not: ``last->list[a[i]->size]``."""
        return not self._is_plain(label) and any(
            isinstance(node, Deref | Field | Index)
            and self.own.whole(node) is None
            and not hidden.isdisjoint(walk(node))
            and start_of_place(node) not in hidden
            for expression in expressions(label)
            for node in walk(expression)
        )

    def left_out(
        self, label: Operation, operations: tuple[Operation, ...], hidden: Set[Variable]
    ) -> tuple[Operation, ...]:
        """Reads of an operation that those in its place leave out; `hidden` are the pointers to what is not there."""
        if self._is_plain(label):
            return ()
        kept = {n for o in operations for x in expressions(o) for n in walk(x)}
        reads = dict.fromkeys(self.flat(x) for x in self._of(label, hidden))
        missing = tuple(x for x in reads if x not in kept)
        if any(isinstance(x.type, RecordType) for x in missing):
            return (Unsupported(label.place, f"a struct that is read beside a block that is not followed: {label}"),)
        return (Print(label.place, None, missing),) if missing else ()

    def _of(self, label: Operation, hidden: Set[Variable]) -> Iterator[Expression]:
        target = getattr(label, "target", None)
        for expression in expressions(label):
            yield from (self._to_reach if expression is target else self._in)(expression, hidden)

    def _in(self, value: Expression, hidden: Set[Variable]) -> Iterator[Expression]:
        """The places that a value is read from: as a whole, those that are there."""
        if not has_dereference(value):
            return
        if isinstance(value, AddressOf):
            yield from self._to_reach(value.target, hidden)
        elif not isinstance(value, Deref | Field | Index):
            for part in children(value):
                yield from self._in(part, hidden)
        elif self.own.is_inside(value) or not hidden.isdisjoint(walk(value)):
            yield from self._to_reach(value, hidden)
        else:
            yield value

    def _to_reach(self, place: Expression, hidden: Set[Variable]) -> Iterator[Expression]:
        """What is read to find a place."""
        match place:
            case Deref(pointer=pointer):
                yield from self._in(pointer, hidden)
            case Field(base=base):
                yield from self._to_reach(base, hidden)
            case Index(base=base, index=index):
                yield from self._to_reach(base, hidden)
                yield from self._in(index, hidden)
