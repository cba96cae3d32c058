"""Designators of an initialiser, and which of its values later ones override (C17, 6.7.9).

libclang gives the designators of `.a.b[3]` as children without brackets: `[1][2]` has the same ones as `[1 ... 2]`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from kleene.c.clang import evaluate, kind
from kleene.c.lowering import UnsupportedConstruct
from kleene.cfa.expressions import Expression, Field, Index
from kleene.cfa.types import ArrayType, RecordField, RecordLayout, RecordType, Type

Designator = RecordField | range
"""One step of a designation: a member, or the elements of an array from an index to another one."""


def designators(item: Any, type_: Type, records: dict[str, RecordLayout]) -> list[Designator]:
    """The steps of a designation in an object of the type, with those through anonymous members."""
    *steps, value = (child for child in item.get_children() if kind(child) != "TYPE_REF")
    found: list[Designator] = []
    number = 0
    while number < len(steps):
        step = steps[number]
        number += 1
        if kind(step) == "MEMBER_REF":
            name = step.spelling
            if name and "(" not in name:  # else the way through an anonymous member, which the path contains
                layout = records.get(type_.name) if isinstance(type_, RecordType) else None
                path = layout.path_to(name, records) if layout else ()
                if not path:
                    raise UnsupportedConstruct(f"member {name} of {type_}", item)
                found += path
                type_ = path[-1].type
            continue
        if not isinstance(type_, ArrayType):
            raise UnsupportedConstruct(f"index in {type_}", item)
        first = last = int(evaluate(step) or 0)
        type_ = type_.element
        if number < len(steps) and kind(steps[number]) != "MEMBER_REF":
            indices = sum(kind(other) != "MEMBER_REF" for other in steps[: number - 1])
            if not isinstance(type_, ArrayType) or _is_range(item, value, indices):
                last = int(evaluate(steps[number]) or 0)
                number += 1
        found.append(range(first, last + 1))
    return found


def _is_range(item: Any, value: Any, index: int) -> bool:
    """Whether the number that comes after so many others in brackets is the first one of a range, by the tokens."""
    tokens = list(item.get_tokens())
    if not tokens or tokens[0].extent.start.offset != item.extent.start.offset:
        raise UnsupportedConstruct("range or indices of a macro", item)
    depth = seen = 0
    for token in tokens:
        if token.extent.start.offset >= value.extent.start.offset:
            break
        text = token.spelling
        depth += (text in ("[", "(")) - (text in ("]", ")"))
        if depth == 1 and text in ("[", "..."):
            if text == "..." and seen == index + 1:
                return True
            seen += 1
    return False


class Overriding:
    """The values that a list gives to the parts of an object, in its order, without those that later ones override.

    A later initialiser of an object replaces all earlier ones of it and of its parts: they are not even evaluated, as
    by gcc and clang (C17, 6.7.9p19 leaves that open).
    """

    def __init__(self) -> None:
        self.values: dict[Expression, Any] = {}
        self._inside: Counter[Expression] = Counter()

    def give(self, part: Expression, value: Any) -> None:
        self.override(part)
        if any(whole in self.values for whole in _around(part)):
            raise UnsupportedConstruct("initialiser of a part of what has a value", value)
        self.values[part] = value
        self._inside.update(_around(part))

    def override(self, whole: Expression) -> None:
        """Forget what was given to an object and to its parts."""
        if whole in self.values:
            self._forget(whole)
        if self._inside[whole]:
            for part in [part for part in self.values if whole in _around(part)]:
                self._forget(part)

    def has_part_of(self, whole: Expression) -> bool:
        return whole in self.values or self._inside[whole] > 0

    def _forget(self, part: Expression) -> None:
        del self.values[part]
        self._inside.subtract(_around(part))


def _around(part: Expression) -> Iterator[Expression]:
    """The objects of which an object is a part."""
    while isinstance(part, Field | Index):
        part = part.base
        yield part
