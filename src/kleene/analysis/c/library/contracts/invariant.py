"""The invariant of an object type: facts that hold of every object between two operations.

The facts are read off the structures at the head of the client's loop. Each has a sentence for people and a conjunct of
a contract (`docs/manual/check.md`). A fact is stated only if its predicate has a definite value in all structures.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations

from kleene.cfa.types import ArrayType, PointerType, RecordLayout, RecordType, Type, VoidType
from kleene.logic.formula import predicates_of
from kleene.logic.kleene import Kleene
from kleene.logic.roles import RoleKind
from kleene.logic.vocabulary import Predicate
from kleene.report.check.shape_words import member_of
from kleene.structures.structure import Structure

_NO_MEMBER = re.compile(r"\[\d|\+\d|\$")
"""What names of cells have beside those of members."""
_ALONE = "|*"
"""The end of the name of a cell that is also the one of a pointer that is no member: `root|*`."""
OBJECT = "{x}"
"""The place of the object's name in sentences and conjuncts."""


@dataclass(frozen=True)
class Fact:
    """A sentence and a conjunct of a contract, both about the object `OBJECT`; a fact may have no conjunct."""

    sentence: str
    conjunct: str = ""
    of_blocks: str = ""
    """What holds of each block v of the object: the conjunct says it of all blocks."""

    @staticmethod
    def about_blocks(sentence: str, formula: str) -> Fact:
        """A fact about each block v."""
        return Fact(sentence, f"A(v) {formula}", formula)

    @property
    def is_formula(self) -> bool:
        """Whether its conjunct names members only: contracts have no elements of arrays, and no places in blocks."""
        return not _NO_MEMBER.search(self.conjunct)

    def about(self, name: str) -> Fact:
        """The fact about an object with a name."""
        return Fact(*(text.replace(OBJECT, name) for text in (self.sentence, self.conjunct, self.of_blocks)))

    def among(self, reached: str) -> str:
        """The conjunct about the blocks for which a formula holds."""
        return f"A(v) ({reached} -> {self.of_blocks})" if self.of_blocks else self.conjunct


def facts_of(
    structures: Sequence[Structure],
    pointers: Sequence[str],
    records: Mapping[str, RecordLayout],
    others: Sequence[str] = (),
    record: str = "",
) -> list[Fact]:
    """The facts about the object to which a pointer leads, where it is not NULL; `pointers` are its predicates.

    `record` is its type. `others` are the predicates of other objects that the client has, which are no parts of this
    one. The analysis has
    cells that the program does not have, such as those of the slots of an array: facts are about the members of
    `records` only.
    """
    views = [view for s in structures if (view := _View.of(s, pointers, others)) is not None]
    members = {f.name: f.type for layout in records.values() for f in layout.fields}
    of_object = {f.name for f in records[record].fields} if record in records else set[str]()
    found = [*_facts(views, members, of_object), *_about_addresses(views, records, record)] if views else []
    facts = [Fact(f.sentence, f.conjunct.replace(_ALONE, ""), f.of_blocks.replace(_ALONE, "")) for f in found]
    return [fact if fact.is_formula else Fact(fact.sentence) for fact in facts]


@dataclass(frozen=True)
class _View:
    """A structure with the node of the object, and those of other objects."""

    structure: Structure
    object: int
    apart: frozenset[int]

    @staticmethod
    def of(structure: Structure, pointers: Sequence[str], others: Sequence[str]) -> _View | None:
        def named(names: Sequence[str]) -> list[int]:
            known = [name for name in names if name in structure.vocabulary]
            return [u for name in known for u in structure.nodes if structure.value(name, u) is Kleene.TRUE]

        own = named(pointers)
        return _View(structure, own[0], frozenset(named(others)) - {own[0]}) if own else None

    @property
    def parts(self) -> list[int]:
        """The nodes that are no objects of the client."""
        return [u for u in self.structure.nodes if u != self.object and u not in self.apart]

    def targets(self, cell: str, node: int) -> list[int]:
        """The nodes to which a cell may lead."""
        return [w for w in self.structure.nodes if self.structure.value(cell, node, w) is not Kleene.FALSE]

    def reached(self, cell: str, link: str) -> set[int]:
        """The nodes that may be reached from a cell of the object along a link."""
        found: set[int] = set()
        waiting = self.targets(cell, self.object)
        while waiting:
            node = waiting.pop()
            if node not in found:
                found.add(node)
                waiting += self.targets(link, node)
        return found

    def everywhere(self, predicate: str, value: Kleene) -> bool:
        return all(self.structure.value(predicate, u) is value for u in self.structure.nodes)

    def on_parts(self, predicate: str, value: Kleene) -> bool:
        """The value on all nodes other than the object."""
        return all(self.structure.value(predicate, u) is value for u in self.parts)


def _facts(views: list[_View], own: Mapping[str, Type], of_object: Set[str]) -> Iterator[Fact]:
    vocabulary = views[0].structure.vocabulary
    by_role = {kind: [p for p in vocabulary.declared if p.is_a(kind)] for kind in RoleKind}
    names = Counter(_shown(p.name) for p in by_role[RoleKind.CELL])
    cells = [p.name for p in by_role[RoleKind.CELL] if names[_shown(p.name)] == 1]  # sentences name no records
    links = [c for c in cells if _is_member(c, own) and any(_links_parts(view, c) for view in views)]
    fields = [
        c
        for c in cells
        if c not in links and _is_member(c, own) and any(view.targets(c, view.object) for view in views)
    ]
    for link in links:
        if _shown(link) in of_object and not any(view.targets(link, view.object) for view in views):
            yield Fact(f"{OBJECT}->{_shown(link)} is NULL", f"A(v, w) !({OBJECT}(v) & {link}(v, w))")
    yield from _about_fields(views, fields, links, by_role[RoleKind.REACHED])
    yield from _about_two_lists(views, fields, links)
    unions = {p.name: _followed(p, links, fields, cells) for p in by_role[RoleKind.UNION]}
    joined = {c for p in by_role[RoleKind.UNION] for c in _members(p, cells)}
    grouped: dict[str, tuple[str, ...]] = {c: (c,) for c in links if c not in joined}
    grouped |= {name: parts for name, parts in unions.items() if parts}
    for group, members in grouped.items():
        yield from _about_group(views, group, members, by_role)
    for p in by_role[RoleKind.LEADS_BACK]:
        if (
            p.role is not None
            and {p.role.of, p.role.back} <= set(links)
            and all(v.everywhere(p.name, Kleene.TRUE) for v in views)
        ):
            there, back = p.role.of, p.role.back
            path = f"x->{_shown(there)}->{_shown(back)}"
            words = f"{_shown(back)} leads back: every block x has {path} == x, unless x->{_shown(there)} is NULL"
            yield Fact.about_blocks(words, f"inv[{there},{back}](v)")


_SOURCE_NAME = re.compile(r"\w+(\[\d+\])?")
"""The part of a cell's name that the source has: a member, and an index. Offsets and marks of the analysis follow."""


def _shown(cell: str) -> str:
    """The member that a cell is, as the source names it, without its record."""
    match = _SOURCE_NAME.match(member_of(cell))
    return match[0] if match else cell


def _is_member(cell: str, members: Mapping[str, Type]) -> bool:
    """Whether a cell is a member of a record of the program, or an element of one, that points to a record.

    A text is no block of a shape: that no two nodes share one is a fact about them, and has no name here.
    """
    name, _, index = _shown(cell).partition("[")
    type_ = members.get(name)
    if isinstance(type_, ArrayType) and not index:  # the analysis has a block of slots there, not one element
        return False
    while isinstance(type_, ArrayType):
        type_ = type_.element
    target = type_.target if isinstance(type_, PointerType) else None
    return isinstance(type_, RecordType) or isinstance(target, RecordType | VoidType)


def _about_fields(views: list[_View], fields: list[str], links: list[str], reached: list[Predicate]) -> Iterator[Fact]:
    for i, first in enumerate(fields):
        for second in fields[i + 1 :]:
            if all(bool(v.targets(first, v.object)) == bool(v.targets(second, v.object)) for v in views):
                iff = f"A(v) ({OBJECT}(v) -> ((E(w) {first}(v, w)) <-> (E(w) {second}(v, w))))"
                yield Fact(f"{OBJECT}->{_shown(first)} and {OBJECT}->{_shown(second)} are NULL together", iff)
    for field in fields:
        for link in links:
            if all(not v.targets(link, end) for v in views for end in v.targets(field, v.object)):
                last = f"A(v, w, u) !({OBJECT}(v) & {field}(v, w) & {link}(w, u))"
                end = f"{OBJECT}->{_shown(field)}"
                yield Fact(f"{end} is NULL, or {end}->{_shown(link)} is NULL", last)
            roots = [p for p in reached if p.role is not None and p.role.of == link]
            yield from _reached_from(views, field, fields, link, roots)


def _about_addresses(views: list[_View], records: Mapping[str, RecordLayout], record: str) -> Iterator[Fact]:
    """Members that are addresses of links, such as the end of a queue (`struct node **tail`): what is there.

    The analysis has a cell for each offset in a block: `tail+8` leads to the block whose member at offset 8 is meant.
    """
    for field in records[record].fields if record in records else ():
        type_ = field.type
        target = type_.target if isinstance(type_, PointerType) else None
        if not isinstance(target, PointerType) or not isinstance(target.target, RecordType):
            continue
        places = [_places(view, field.name, records) for view in views]
        if any(place is None for place in places):
            continue
        known = list(dict.fromkeys(p for place in places if place is not None for p in place))
        name = f"{OBJECT}->{field.name}"
        listed = " or ".join(f"&{OBJECT}->{p.member}" if p.is_object else f"&x->{p.member} of a block x" for p in known)
        yield Fact(f"{name} is {listed}")
        if all(p.is_null for p in known):
            yield Fact(f"*{name} is NULL")


@dataclass(frozen=True)
class _Place:
    """A member to which an address leads."""

    member: str
    is_object: bool
    is_null: bool


_OFFSET = re.compile(r"(?:.*->)?(\w+)(?:\+(\d+))?")
"""A cell: its member, and the offset at which it points into a block."""


def _places(view: _View, field: str, records: Mapping[str, RecordLayout]) -> list[_Place] | None:
    """The members to which the address in a field of the object may lead; None if it may be NULL, or is not known."""
    vocabulary = view.structure.vocabulary
    places, is_set = [], False
    cells = [p.name for p in vocabulary.declared if p.is_a(RoleKind.CELL)]
    sizes = {
        p.name: p.name.removeprefix("size[").removesuffix("]") for p in vocabulary.declared if p.is_a(RoleKind.SIZE)
    }
    for cell in cells:
        match = _OFFSET.fullmatch(cell)
        if match is None or match[1] != field:
            continue
        for node in view.targets(cell, view.object):
            is_set = is_set or view.structure.value(cell, view.object, node) is Kleene.TRUE
            types = [name for size, name in sizes.items() if view.structure.value(size, node) is Kleene.TRUE]
            layout = records.get(types[0]) if len(types) == 1 else None
            offset = int(match[2] or 0)
            found = [f.name for f in layout.fields if f.offset == offset and f.name] if layout is not None else []
            links = [c for c in cells if found and member_of(c) == found[0]]
            if len(links) != 1:
                return None
            places.append(_Place(found[0], node == view.object, not view.targets(links[0], node)))
    return places if is_set else None


def _about_two_lists(views: list[_View], fields: list[str], links: list[str]) -> Iterator[Fact]:
    """Two members of the object lead to different blocks, as the free list of a pool and the list of those in use."""
    for first, second in combinations(fields, 2):
        for link in links:
            met = [(v.reached(first, link), v.reached(second, link)) for v in views]
            if all(any(pair[i] for pair in met) for i in range(2)) and all(not (one & two) for one, two in met):
                conjunct = (
                    f"A(v, a, b, w) !({OBJECT}(v) & {first}(v, a) & {second}(v, b) & {link}*(a, w) & {link}*(b, w))"
                )
                both = f"{OBJECT}->{_shown(first)} and {OBJECT}->{_shown(second)}"
                yield Fact(f"no block is reached from both {both} along {_shown(link)}", conjunct)


def _reached_from(
    views: list[_View], field: str, fields: list[str], link: str, roots: list[Predicate]
) -> Iterator[Fact]:
    for p in roots:
        assert p.role is not None
        start = p.role.root.rpartition("->")[2]
        if start == field or start not in fields or "->" not in p.role.root:
            continue
        ends = [(v, end) for v in views for end in v.targets(field, v.object)]
        if ends and all(v.structure.value(p.name, end) is Kleene.TRUE for v, end in ends):
            conjunct = f"A(v, a, b) !({OBJECT}(v) & {start}(v, a) & {field}(v, b) & !{link}*(a, b))"
            there, begin = f"{OBJECT}->{_shown(field)}", f"{OBJECT}->{_shown(start)}"
            yield Fact(f"{there} is reached from {begin} along {_shown(link)}", conjunct)


def _members(union: Predicate, links: list[str]) -> tuple[str, ...]:
    """The links of a group of cells."""
    parts = predicates_of(union.definition) if union.definition is not None else frozenset()
    return tuple(c for c in links if c in parts)


def _followed(union: Predicate, links: list[str], fields: list[str], cells: list[str]) -> tuple[str, ...]:
    """The links of a group of cells, with the members of the object that lead to them.

    What holds of paths along all of them says more: that no block is the first of a list and in the middle of it, too.
    """
    own = _members(union, links)
    every = _members(union, cells)
    return every if own and set(every) <= {*links, *fields} else own


def _about_group(
    views: list[_View], group: str, members: tuple[str, ...], by_role: dict[RoleKind, list[Predicate]]
) -> Iterator[Fact]:
    """The facts about paths along some links: cycles, and blocks to which two lead."""

    def about(kind: RoleKind) -> list[Predicate]:
        return [p for p in by_role[kind] if p.role is not None and p.role.of == group]

    names, listed = " and ".join(map(_shown, members)), ",".join(members)
    cyclic = about(RoleKind.ON_CYCLE)
    absent = any(all(v.everywhere(p.name, Kleene.FALSE) for v in views) for p in cyclic)
    if absent or (not cyclic and views[0].structure.vocabulary[group].has("acyclic")):
        yield Fact.about_blocks(f"{names} lead{'s' * (len(members) == 1)} to NULL: no cycle", f"!c[{listed}](v)")
    elif any(all(v.everywhere(p.name, Kleene.TRUE) for v in views) for p in cyclic):
        yield Fact.about_blocks(f"{names} leads around: every block is on a cycle", f"c[{listed}](v)")
    elif any(all(v.on_parts(p.name, Kleene.TRUE) for v in views) for p in cyclic):
        circle = f"({OBJECT}(v) | c[{listed}](v))"
        yield Fact.about_blocks(f"{names} leads around: every block is on a cycle", circle)
    for p in about(RoleKind.SHARED):
        if all(v.on_parts(p.name, Kleene.FALSE) for v in views):
            words = f"no block is the {' or '.join(map(_shown, members))} of two blocks"
            yield Fact.about_blocks(words, f"!is[{listed}](v)")


def _links_parts(view: _View, cell: str) -> bool:
    """Whether a cell leads from a block that is not the object."""
    return any(view.targets(cell, u) for u in view.parts)
