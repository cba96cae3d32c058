"""Facts about the objects of one state of a run: which members lead back, are NULL together, end a list.

They are the facts of `contracts.invariant`, on concrete heaps. A state says of each fact whether it holds, is broken,
or has no instance there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import permutations

from kleene.cfa.types import ArrayType, IntegerType, PointerType, RecordLayout, RecordType, VoidType
from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import Pointer, Undefined

_POINTER_BITS = 64
"""Bits of a pointer."""
_BYTE_BITS = 8
"""Bits of a byte: cells of blocks are addressed by bits."""
_REFERENCES = re.compile(r"ref|users?$|(^|_)rc$", re.IGNORECASE)
"""Names of members that count the references to an object."""
_MOST_ELEMENTS = 4
"""Elements of an array of pointers that are looked at: children of a tree. Buckets of a table are not related."""
_MOST_NODES = 64
"""Records of a state that are looked at: a trial has a dozen."""


class Truth(Enum):
    """What a state says of a fact: it has no instance, all of its instances hold, or one does not."""

    VACUOUS = "vacuous"
    HOLDS = "holds"
    BROKEN = "broken"


@dataclass(frozen=True)
class Node:
    """A record in memory."""

    block: int
    offset: int
    record: str


@dataclass(frozen=True)
class Garbage:
    """A pointer that nothing has set, or that leads to no record that is alive."""

    is_set: bool


Target = Node | Garbage | None
"""Where a member leads: to a record, to garbage, or nowhere (NULL)."""


class Heap:
    """The records of a state that variables of the client lead to."""

    def __init__(self, state: State, roots: Mapping[str, str], records: Mapping[str, RecordLayout]) -> None:
        self._state = state
        self._records = records
        self.nodes: dict[str, list[Node]] = {}
        waiting: list[Node] = []
        for variable, record in roots.items():
            number = state.locals.get(variable)
            found = self._target(number, 0, record) if number is not None else None
            waiting += [found] if isinstance(found, Node) else []
        seen: set[Node] = set()
        while waiting and len(seen) < _MOST_NODES:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            self.nodes.setdefault(node.record, []).append(node)
            waiting += self._next(node)

    def _next(self, node: Node) -> Iterator[Node]:
        """The records inside a record, and those to which its members lead."""
        layout = self._records.get(node.record)
        for member in layout.fields if layout is not None and not layout.union else ():
            if isinstance(member.type, RecordType):
                yield Node(node.block, node.offset + member.offset, member.type.name)
        for link in _links(layout).values() if layout is not None else ():
            found = self._target(node.block, node.offset + link.offset, link.target)
            if isinstance(found, Node):
                yield found

    def target(self, node: Node, member: str) -> Target:
        """Where a member leads to a record."""
        link = _links(self._records[node.record])[member]
        return self._target(node.block, node.offset + link.offset, link.target)

    def target_of_place(self, node: Node, member: str) -> tuple[bool, Target]:
        """Whether a member has the address of a pointer in memory that is alive, and where this pointer leads."""
        place = self._target(node.block, node.offset + _places(self._records[node.record])[member], node.record)
        if not isinstance(place, Node):
            return False, None
        return True, self._target(place.block, place.offset, node.record)

    def blocks_from(self, node: Node) -> set[int]:
        """The blocks that a record reaches along members that lead to records."""
        reached, waiting = {node}, [node]
        while waiting:
            new = set(self._next(waiting.pop())) - reached
            reached |= new
            waiting += new
        return {found.block for found in reached}

    def ending(self, node: Node, member: str) -> tuple[Target, Target]:
        """The pointer in memory whose address a member has, as the place of a record, and where this pointer leads."""
        offset, target = _endings(self._records[node.record])[member]
        place = self._target(node.block, node.offset + offset, target)
        return place, self._target(place.block, place.offset, target) if isinstance(place, Node) else None

    def datum(self, node: Node, member: str) -> int | None:
        """The block on the heap to which a member for data leads; None if it leads to none."""
        place = node.offset + _data(self._records[node.record])[member]
        value = self._state.blocks[node.block].load(place * _BYTE_BITS, _POINTER_BITS)
        block = self._state.blocks.get(value.block) if isinstance(value, Pointer) else None
        return value.block if isinstance(value, Pointer) and block is not None and block.kind == "heap" else None

    def number(self, node: Node, member: str) -> tuple[int | None, int]:
        """The number that a member has (None if it depends on inputs, or nothing has set it), and the largest one."""
        found = next(f for f in self._records[node.record].fields if f.name == member)
        assert isinstance(found.type, IntegerType)
        value = self._state.blocks[node.block].load((node.offset + found.offset) * _BYTE_BITS, found.type.bits)
        return found.type.wrap(value) if isinstance(value, int) else None, found.type.maximum

    def _target(self, number: int, offset: int, record: str) -> Target:
        value = self._state.blocks[number].load(offset * _BYTE_BITS, _POINTER_BITS)
        if value == 0:
            return None
        if not isinstance(value, Pointer):
            return Garbage(is_set=not isinstance(value, Undefined))
        block = self._state.blocks.get(value.block)
        if block is None or not block.alive:
            return Garbage(is_set=True)
        return Node(value.block, value.offset, record)


@dataclass(frozen=True)
class LeadsBack:
    """``p->there->back == p``. A pointer to a block that was freed leads back to nothing."""

    record: str
    there: str
    back: str

    def instances(self, heap: Heap) -> Iterator[bool]:
        for node in heap.nodes.get(self.record, ()):
            found = heap.target(node, self.there)
            if found is not None:
                yield isinstance(found, Node) and heap.target(found, self.back) == node

    @property
    def broken(self) -> str:
        return f"p->{self.there}->{self.back} is not p"


@dataclass(frozen=True)
class Together:
    """Two members are NULL together."""

    record: str
    first: str
    second: str

    def instances(self, heap: Heap) -> Iterator[bool]:
        for node in heap.nodes.get(self.record, ()):
            found = [heap.target(node, name) for name in (self.first, self.second)]
            if any(isinstance(f, Node) for f in found):
                yield all(isinstance(f, Node) for f in found)

    @property
    def broken(self) -> str:
        return f"only one of p->{self.first} and p->{self.second} is NULL"


@dataclass(frozen=True)
class Last:
    """The member of a header leads to the end of its list: it is reached from another member, and nothing follows."""

    record: str
    first: str
    last: str
    along: str

    def instances(self, heap: Heap) -> Iterator[bool]:
        for node in heap.nodes.get(self.record, ()):
            found = heap.target(node, self.last)
            first = heap.target(node, self.first)
            holds = self._is_last(heap, first, found)
            if found is not None and not (holds and first == found):  # one element shows no direction
                yield holds

    def _is_last(self, heap: Heap, here: Target, last: Target) -> bool:
        seen: set[Target] = set()
        while isinstance(here, Node) and here not in seen:
            seen.add(here)
            if here == last:
                return heap.target(here, self.along) is None
            here = heap.target(here, self.along)
        return False

    @property
    def broken(self) -> str:
        return f"p->{self.last} is not the end of the list from p->{self.first} along {self.along}"


@dataclass(frozen=True)
class IsSet:
    """A member has a value."""

    record: str
    member: str

    def instances(self, heap: Heap) -> Iterator[bool]:
        for node in heap.nodes.get(self.record, ()):
            found = heap.target(node, self.member)
            yield not isinstance(found, Garbage) or found.is_set

    @property
    def broken(self) -> str:
        return f"p->{self.member} is not initialised"


@dataclass(frozen=True)
class IsSmall:
    """An unsigned number has not gone below 0: it is in the lower half of its type."""

    record: str
    member: str

    def instances(self, heap: Heap) -> Iterator[bool]:
        for node in heap.nodes.get(self.record, ()):
            number, most = heap.number(node, self.member)
            if number is not None:
                yield number <= most // 2

    @property
    def broken(self) -> str:
        return f"p->{self.member} has gone below 0"


@dataclass(frozen=True)
class IsHeldOnce:
    """A number of references is 1: nobody but the client keeps the object."""

    record: str
    member: str

    def instances(self, heap: Heap) -> Iterator[bool]:
        for node in heap.nodes.get(self.record, ()):
            number, _ = heap.number(node, self.member)
            if number is not None:
                yield number == 1

    @property
    def broken(self) -> str:
        return f"p->{self.member} is not 1"


@dataclass(frozen=True)
class Ends:
    """A member leads to NULL: there is no cycle along it."""

    record: str
    member: str

    def instances(self, heap: Heap) -> Iterator[bool]:
        for node in heap.nodes.get(self.record, ()):
            seen: set[Target] = set()
            here: Target = node
            while isinstance(here, Node) and here not in seen:
                seen.add(here)
                here = heap.target(here, self.member)
            yield not isinstance(here, Node)

    @property
    def broken(self) -> str:
        return f"{self.member} leads around in a cycle"


@dataclass(frozen=True)
class Unshared:
    """No record is the target of a member of two records."""

    record: str
    member: str

    def instances(self, heap: Heap) -> Iterator[bool]:
        targets = [heap.target(node, self.member) for node in heap.nodes.get(self.record, ())]
        found = [target for target in targets if isinstance(target, Node)]
        yield from (found.count(target) == 1 for target in found)

    @property
    def broken(self) -> str:
        return f"two blocks have the same {self.member}"


@dataclass(frozen=True)
class HasItsPlace:
    """``*p->back == p``: a member has the address of the pointer that leads to its record."""

    record: str
    back: str

    def instances(self, heap: Heap) -> Iterator[bool]:
        for node in heap.nodes.get(self.record, ()):
            is_set, found = heap.target_of_place(node, self.back)
            if is_set:
                yield found == node

    @property
    def broken(self) -> str:
        return f"*p->{self.back} is not p"


@dataclass(frozen=True)
class LeadsToEnd:
    """``*p->tail == NULL``: a member has the address of the pointer where the next element goes, in its object."""

    record: str
    member: str

    def instances(self, heap: Heap) -> Iterator[bool]:
        for node in heap.nodes.get(self.record, ()):
            place, found = heap.ending(node, self.member)
            if place is not None:
                yield isinstance(place, Node) and found is None and place.block in heap.blocks_from(node)

    @property
    def broken(self) -> str:
        return f"p->{self.member} is not the address of a pointer of p that is NULL"


@dataclass(frozen=True)
class StoredOnce:
    """No datum of the client is in a member of two records, if it has an owner: then it is a block of its own."""

    record: str
    member: str

    def instances(self, heap: Heap) -> Iterator[bool]:
        found = [heap.datum(node, self.member) for node in heap.nodes.get(self.record, ())]
        owned = [datum for datum in found if datum is not None]
        yield from (owned.count(datum) == 1 for datum in owned)

    @property
    def broken(self) -> str:
        return f"two blocks have the same {self.member}"


HeapFact = (
    LeadsBack | Together | Last | IsSet | IsSmall | IsHeldOnce | Ends | Unshared | HasItsPlace | LeadsToEnd | StoredOnce
)


def possible_facts(records: Mapping[str, RecordLayout]) -> list[HeapFact]:
    """The facts that records may have, by the types of their members."""
    members = {name: {m: link.target for m, link in _links(layout).items()} for name, layout in records.items()}
    facts: list[HeapFact] = []
    for name, own in members.items():
        facts += [IsSet(name, member) for member in own]
        facts += [IsSmall(name, member) for member, type_ in _numbers(records[name]).items() if not type_.signed]
        facts += [IsHeldOnce(name, member) for member in _numbers(records[name]) if _REFERENCES.search(member)]
        facts += [StoredOnce(name, member) for member in _data(records[name])]
        facts += [LeadsToEnd(name, member) for member in _endings(records[name])]
        facts += [HasItsPlace(name, member) for member in _places(records[name])]
        facts += [Ends(name, member) for member, target in own.items() if target == name]
        facts += [Unshared(name, member) for member, target in own.items() if target == name]
        facts += [
            LeadsBack(name, there, back)
            for there, target in own.items()
            for back, source in members.get(target, {}).items()
            if source == name and (target, back) != (name, there)
        ]
        for (first, target), (last, other) in permutations(own.items(), 2):
            if target != other:
                continue
            if first < last and target != name:  # of two children, one alone may be there
                facts.append(Together(name, first, last))
            along = [m for m, t in members.get(target, {}).items() if t == target]
            facts += [Last(name, first, last, m) for m in along if target != name]
    return facts


@dataclass(frozen=True)
class _Link:
    """A pointer to a record inside a record."""

    offset: int
    target: str


def _links(layout: RecordLayout) -> dict[str, _Link]:
    """The members of a record that lead to records, and the first elements of arrays of such pointers."""
    links: dict[str, _Link] = {}
    for f in layout.fields if not layout.union else ():
        if f.name and isinstance(f.type, PointerType) and isinstance(f.type.target, RecordType):
            links[f.name] = _Link(f.offset, f.type.target.name)
        elif f.name and isinstance(f.type, ArrayType) and isinstance(f.type.element, PointerType):
            target, count = f.type.element.target, f.type.count
            if isinstance(target, RecordType) and count <= _MOST_ELEMENTS:
                places = {f"{f.name}[{i}]": f.offset + i * _POINTER_BITS // _BYTE_BITS for i in range(count)}
                links |= {name: _Link(offset, target.name) for name, offset in places.items()}
    return links


def _places(layout: RecordLayout) -> dict[str, int]:
    """The members of a record that have addresses of pointers to such records, each with its offset."""
    pointers = [(f, f.type.target) for f in layout.fields if f.name and isinstance(f.type, PointerType)]
    inner = [(f, t.target) for f, t in pointers if isinstance(t, PointerType) and not layout.union]
    return {f.name: f.offset for f, target in inner if target == layout.type}


def _endings(layout: RecordLayout) -> dict[str, tuple[int, str]]:
    """The members of a record that have addresses of pointers to other records: offset, and the name of the record."""
    pointers = [(f, f.type.target) for f in layout.fields if f.name and isinstance(f.type, PointerType)]
    inner = [(f, t.target) for f, t in pointers if isinstance(t, PointerType) and not layout.union]
    others = [(f, t) for f, t in inner if isinstance(t, RecordType) and t != layout.type]
    return {f.name: (f.offset, target.name) for f, target in others}


def _data(layout: RecordLayout) -> dict[str, int]:
    """The members of a record for data of clients, each with its offset."""
    pointers = [(f, f.type.target) for f in layout.fields if f.name and isinstance(f.type, PointerType)]
    return {f.name: f.offset for f, target in pointers if isinstance(target, VoidType) and not layout.union}


def _numbers(layout: RecordLayout) -> dict[str, IntegerType]:
    """The members of a record that are numbers, and no bit-fields, with their types."""
    fields = [f for f in layout.fields if f.name and not layout.union and f.bit_width is None]
    return {f.name: f.type for f in fields if isinstance(f.type, IntegerType)}


def truth_of(fact: HeapFact, heap: Heap) -> Truth:
    instances = list(fact.instances(heap))
    if not instances:
        return Truth.VACUOUS
    return Truth.HOLDS if all(instances) else Truth.BROKEN
