"""The names of integer members by their offsets: predicates of numbers in objects are named after them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from kleene.cfa.types import IntegerType, RecordLayout, RecordType

MOST_NAMES = 3
"""Members of different structs at one offset that a name lists: more of them say less than the offset."""


def integer_names(records: Mapping[str, RecordLayout], sizes: Iterable[int]) -> dict[int, str]:
    """A name for each offset at which objects of some sizes have an integer: ``.tag``, or ``.id|size``.

    Offsets with the same name have none, and are told apart by their numbers.
    """
    own = set(sizes)
    members: dict[int, dict[str, None]] = {}
    for layout in records.values():
        if layout.type.size in own:
            for offset, name in integers_of(layout, records):
                members.setdefault(offset, {})[name] = None
    names = {offset: "." + "|".join(found) for offset, found in members.items() if len(found) <= MOST_NAMES}
    counts = Counter(names.values())
    return {offset: name for offset, name in names.items() if counts[name] == 1}


def integers_of(layout: RecordLayout, records: Mapping[str, RecordLayout]) -> Iterator[tuple[int, str]]:
    """The offsets and names of the integers in a struct, those in its members included."""
    for member in layout.fields:
        if isinstance(member.type, IntegerType) and member.name:
            yield member.offset, member.name
        elif isinstance(member.type, RecordType) and member.type.name in records:
            for offset, name in integers_of(records[member.type.name], records):
                yield member.offset + offset, name
