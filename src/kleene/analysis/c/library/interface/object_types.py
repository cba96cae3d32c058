"""The object types of a library: the records that a client keeps, those that are parts of others, and iterators.

A client knows them by types alone: which functions return a record, which take one, and to which records fields lead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from kleene.analysis.c.library.interface.exports import CType, ExportedFunction, Interface
from kleene.analysis.c.library.interface.sizes import element_size
from kleene.c.library.outside import STREAMS
from kleene.cfa.types import ArrayType, PointerType, RecordType, VoidType

_INITIALISES = re.compile(r"init|setup", re.IGNORECASE)
_CREATES = re.compile(r"init|setup|(^|_)(create|construct|ctor)(_|$)", re.IGNORECASE)
MAKES = re.compile(r"new|creat|make|alloc|open|init|setup|dup|copy|clone|from|sub|filter|map|split", re.IGNORECASE)
"""Names of functions that make an object and store a pointer to it in a variable of the caller."""

_LENDS = re.compile(r"alloc|new|get|acquire|obtain|take|borrow|checkout", re.IGNORECASE)
"""Names of functions by which a pool hands out its elements."""
_TAKES_BACK = re.compile(r"free|release|put|return|give|recycle|dealloc", re.IGNORECASE)
"""Names of functions by which it takes them back."""
ENDS = re.compile(
    r"free|destroy|delete|dispose|release|fini|finish|term|kill|cleanup|close|deinit|unref|nuke|genocide", re.IGNORECASE
)
"""Names of functions that may end an object, or take an element out and end it."""
_CHANGES = re.compile(r"add|insert|push|append|prepend|put|del|remove|erase|sort|reverse", re.IGNORECASE)
"""Names of functions that change an object and return the pointer to it."""


@dataclass(frozen=True)
class ObjectTypes:
    """The records of an interface whose objects a client keeps, and those that are elements of others."""

    kept: tuple[str, ...]
    elements: dict[str, str]
    """The element type, and the object type from which fields lead to it."""
    made: frozenset[str]
    """The types with a constructor or with a function that may initialise a block."""
    constructed: frozenset[str]
    """The types with a function that allocates and returns an object."""
    initialised: frozenset[str]
    """The types whose blocks the caller allocates."""
    empty_is_null: frozenset[str]
    """The types whose empty object is NULL: lists and trees without a header."""
    linked: frozenset[str]
    """The types with a field of their own type."""
    iterators: dict[str, str]
    """Types whose objects point into an object of another type and are no part of it, each with that type."""
    handed_in: frozenset[str]
    """The element types without a maker that the file defines: a client may allocate them, and link them in."""
    zeroed: frozenset[str]
    """The types without a maker whose objects are blocks of the client, filled with zeros at first."""
    texts: dict[str, str]
    """The type of each record as C text."""
    ended_by_name: frozenset[str] = frozenset()
    """The types with a function that takes an object alone and ends it, as its name says: no other ends one."""
    lent: dict[str, str] = field(default_factory=dict)
    """The element types that a pool hands out and takes back, each with the type of the pool."""
    links: dict[str, Link] = field(default_factory=dict)
    """The element types that no pointer leads to, but to a record inside: elements of intrusive lists."""
    sized: frozenset[str] = frozenset()
    """The types that are told the size of their elements when an object is made."""
    named_objects: dict[str, frozenset[str]] = field(default_factory=dict)
    """The types whose empty object is NULL, each with the names of parameters that are whole objects."""


@dataclass(frozen=True)
class Link:
    """The record inside an element by which an object is linked with it."""

    record: str
    member: str
    """The member of the element that is such a record."""


def object_types(interface: Interface) -> ObjectTypes:
    """The object types of an interface, in the order in which its functions have them."""
    used: dict[str, str] = {}
    for function in interface.functions:
        for type_ in (*(p.type for p in function.parameters), function.result):
            name = record_of(type_)
            if name:
                used[name] = STREAMS.get(name, type_.target.removesuffix(" *"))
    constructed = frozenset(
        record_of(f.result) for f in interface.functions if is_direct(f.result) and not records_of(f)
    )
    constructed |= {name for f in interface.functions if (name := made_by(f)) and not _is_linked(interface, name)}
    blocks = frozenset(t for f in interface.functions for t in initialised_by(f))
    reached = {name: _reaches(interface, name) for name in used}
    links = _links_inside(interface, reached, [n for n in used if n not in constructed | blocks])
    links |= _links_inside(interface, reached, [n for n in blocks if _hangs_on(interface, n, constructed | blocks)])
    by_address = {record_of(p.type) for f in interface.functions for p in f.parameters if not is_direct(p.type)}
    without_header = {n for n in used if _is_linked(interface, n) and (n in by_address or _updates(interface, n))}
    iterators = _iterators(interface, reached, constructed | blocks | without_header)
    iterators = {name: host for name, host in iterators.items() if name not in links}
    returned = {record_of(f.result) for f in interface.functions}
    zeroed = frozenset(
        name
        for name in used
        if name not in {*constructed, *blocks, *iterators, *links, *returned}
        and name in interface.records
        and not _is_linked(interface, name)
        and not any(name in reached[other] for other in used if other != name)
        and name not in by_address
    )
    lent = {n: owner for n in used if n not in constructed and (owner := _lender(interface, reached, n))}
    made = constructed | blocks | iterators.keys() | zeroed | lent.keys()
    part_of = {
        name: [other for other in used if other not in (name, *iterators) and name in reached[other]] for name in used
    }
    elements: dict[str, str] = {}
    for name, owners in part_of.items():
        proper = [o for o in owners if name not in part_of[o] or (o in made and name not in made)]
        mutual = [o for o in proper if not (name in made and o not in made)]
        if mutual:
            elements[name] = mutual[0]
    for name, link in links.items():
        elements.setdefault(name, next(o for o in used if o not in links and link.record in reached[o]))
    kept = tuple(name for name in used if name not in elements or name in made)
    linked = frozenset(n for n in kept if _is_linked(interface, n))
    headless = frozenset(n for n in kept if n not in made or (n not in blocks and _updates(interface, n)))
    handed_in = frozenset(name for name in elements if name in interface.records and name not in made)
    ending = [f for f in interface.functions if ENDS.search(f.name)]
    return ObjectTypes(
        kept,
        elements,
        made,
        constructed,
        blocks | zeroed,
        headless,
        linked,
        iterators,
        handed_in,
        zeroed,
        used,
        ended_by_name=frozenset(name for f in ending if len(f.parameters) == 1 for name in records_of(f)),
        lent=lent,
        links=links,
        sized=_sized(interface),
        named_objects={name: _named_objects(interface, name) for name in headless},
    )


def _sized(interface: Interface) -> frozenset[str]:
    """The types that are told the size of their elements by each function that makes one, and that none gets twice.

    Two objects may have elements of two sizes.
    """
    told: dict[str, list[bool]] = {}
    for function in interface.functions:
        records = records_of(function)
        made = {*initialised_by(function), made_by(function)}
        made |= {record_of(function.result)} - set(records) if is_direct(function.result) else set()
        for name in made - {""}:
            told.setdefault(name, []).append(element_size(function) is not None)
    twice = {name for f in interface.functions for name in records_of(f) if records_of(f).count(name) > 1}
    return frozenset(name for name, says in told.items() if all(says) and name not in twice)


def _named_objects(interface: Interface, name: str) -> frozenset[str]:
    """The names of parameters by which functions get whole objects of a type whose empty object is NULL.

    Functions that change objects show them: those that get the address of the pointer, and those that return the new
    pointer.
    """
    names: set[str] = set()
    for function in interface.functions:
        own = [p for p in function.parameters if record_of(p.type) == name]
        names |= {p.name for p in own if not is_direct(p.type)}
        returns = is_direct(function.result) and record_of(function.result) == name and _CHANGES.search(function.name)
        if len(own) == 1 and returns and records_of(function) == [name]:
            names.add(own[0].name)
    return frozenset(names - {""})


def _lender(interface: Interface, reached: dict[str, set[str]], name: str) -> str:
    """The record whose functions hand out a record to which it leads, and take it back; empty if there is none."""

    def owners(function: ExportedFunction) -> set[str]:
        return {other for other in records_of(function) if other != name and name in reached[other]}

    own = [f for f in interface.functions if is_direct(f.result) and record_of(f.result) == name]
    handing = [f for f in own if _LENDS.search(f.name) and name not in records_of(f)]
    taking = [f for f in interface.functions if _TAKES_BACK.search(f.name) and records_of(f).count(name) == 1]
    lenders = sorted(owner for f in handing for g in taking for owner in owners(f) & owners(g))
    return lenders[0] if lenders else ""


def _iterators(interface: Interface, reached: dict[str, set[str]], made: frozenset[str]) -> dict[str, str]:
    """The types without a maker of their own whose objects a function makes from an object to which they lead."""
    iterators: dict[str, str] = {}
    for function in interface.functions:
        records = records_of(function)
        targets = [record_of(function.result)] if is_direct(function.result) else []
        for name in (*targets, *records):
            for host in records:
                inside = {host, *reached[host]}
                if host in made and name not in made and name not in inside and reached[name] & inside:
                    iterators.setdefault(name, host)
    return iterators


def _links_inside(interface: Interface, reached: dict[str, set[str]], names: list[str]) -> dict[str, Link]:
    """The records that have one record inside with a field of its own type, to which some object leads."""
    links: dict[str, Link] = {}
    for name in names:
        layout = interface.records.get(name)
        inside = [(f.type.name, f.name) for f in (layout.fields if layout else ()) if isinstance(f.type, RecordType)]
        linked = [Link(*i) for i in inside if _is_linked(interface, i[0]) and i[1]]
        owners = [o for o in reached if o not in names and linked and linked[0].record in reached[o]]
        if len(linked) == 1 and owners and not any(name in reached[o] for o in owners):
            links[name] = linked[0]
    return links


def _hangs_on(interface: Interface, name: str, owners: frozenset[str]) -> bool:
    """Whether a block that a function initialises becomes an element of an object with a pointer to a record inside it.

    Some function takes both. (Where the object has such a record inside, too, nothing says which one is the element.)
    """
    layout = interface.records.get(name)
    inside = {f.type.name for f in (layout.fields if layout else ()) if isinstance(f.type, RecordType)}
    together = {o for f in interface.functions if name in records_of(f) for o in records_of(f)}
    return any(inside & _targets(interface, o) for o in owners & together if o != name)


def _targets(interface: Interface, name: str) -> set[str]:
    """The records to which fields of a record point."""
    layout = interface.records.get(name)
    pointers = [f.type.target for f in (layout.fields if layout else ()) if isinstance(f.type, PointerType)]
    return {target.name for target in pointers if isinstance(target, RecordType)}


def _is_linked(interface: Interface, name: str) -> bool:
    """Whether a record has a field of its own type."""
    layout = interface.records.get(name)
    return layout is not None and any(
        isinstance(f.type, PointerType) and isinstance(f.type.target, RecordType) and f.type.target.name == name
        for f in layout.fields
    )


def _updates(interface: Interface, name: str) -> bool:
    """Whether a function takes and returns a pointer to a record with a field of its own type, and no other record."""
    return _is_linked(interface, name) and any(
        is_direct(f.result) and record_of(f.result) == name and set(records_of(f)) == {name}
        for f in interface.functions
    )


def record_of(type_: CType) -> str:
    """The record that a type points to, directly or through one more pointer; empty if it is none."""
    target = type_.type
    for _ in range(2):
        if not isinstance(target, PointerType):
            return ""
        target = target.target
        if isinstance(target, RecordType):
            return target.name
    return ""


def is_direct(type_: CType) -> bool:
    """Whether the type is a pointer to a record (not a pointer to such a pointer)."""
    return isinstance(type_.type, PointerType) and isinstance(type_.type.target, RecordType)


def records_of(function: ExportedFunction) -> list[str]:
    """The records to which the parameters of a function point."""
    return [record_of(p.type) for p in function.parameters if record_of(p.type)]


def initialised_by(function: ExportedFunction) -> list[str]:
    """The type of the only record parameter, if the name of the function says that it initialises.

    What creates a list, gets a pointer to one and nothing else, and returns nothing, initialises it.
    """
    records = [p for p in function.parameters if record_of(p.type)]
    is_alone = len(function.parameters) == 1 and isinstance(function.result.type, VoidType)
    says = _CREATES if is_alone else _INITIALISES
    if len(records) == 1 and is_direct(records[0].type) and says.search(function.name):
        return [record_of(records[0].type)]
    return []


def made_by(function: ExportedFunction) -> str:
    """The type of the only `T **`, if the name of the function says that it makes an object; else empty."""
    variables = [record_of(p.type) for p in function.parameters if record_of(p.type) and not is_direct(p.type)]
    return variables[0] if len(variables) == 1 and MAKES.search(function.name) else ""


def _reaches(interface: Interface, name: str) -> set[str]:
    """The records to which fields of a record lead."""
    reached: set[str] = set()
    waiting = [name]
    while waiting:
        layout = interface.records.get(waiting.pop())
        for member in layout.fields if layout else ():
            target = member.type
            while isinstance(target, PointerType | ArrayType):
                target = target.target if isinstance(target, PointerType) else target.element
            if isinstance(target, RecordType) and target.name not in reached:
                reached.add(target.name)
                waiting.append(target.name)
    return reached
