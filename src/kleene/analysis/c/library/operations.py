"""How a client may call an exported function: the role of each argument, and what happens to object and result.

C types do not say whether `struct node *` is a list, an element of one, or a block that the function initialises. An
*operation* is one reading of a function. `readings` lists the possible ones; `inference` selects the first one that
runs without an error. Plausible readings come first, and before them those that fail at once where they are wrong: a
block that is not initialised is read, an object that is forgotten is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import islice, product

from kleene.analysis.c.library.interface import CType, ExportedFunction, Interface, Parameter
from kleene.cfa.types import CHAR, FloatType, IntegerType, PointerType, RecordType, VoidType

MOST_READINGS = 24
"""Readings of one function that are tried: two arguments with four roles, and a few for the result."""
_ENDS = re.compile(r"free|destroy|delete|dispose|release|fini|finish|term|kill|cleanup|close|deinit", re.IGNORECASE)
_HANDS_OUT = re.compile(
    r"unlink|detach|steal|take|extract|pop|dequeue|dup|copy|clone|print|join|format|string", re.IGNORECASE
)
"""Names of functions whose caller owns what they return or unlink."""
_UNLINKS = re.compile(r"del|remove|unlink|erase|detach", re.IGNORECASE)
"""Names of functions that take an element out: one that leaves it linked is wrong, not another kind of function."""


class Role(Enum):
    """What an argument is."""

    OBJECT = "an object"
    OBJECT_OR_NULL = "NULL or an object"
    ADDRESS = "the address of the pointer to an object"
    SECOND = "another object"
    ELEMENT = "an element of the object"
    BLOCK = "a block of the caller, not initialised"
    NUMBER = "any number"
    TEXT = "a text"
    DATA = "a pointer that is stored only"
    OWNED = "a block that the library frees"
    RESULT = "a variable for a result"
    CALLBACK = "a function of the client"
    RECORD = "a record by value"


class Fate(Enum):
    """What happens to the object (or to the element, if there is one) after the call."""

    KEPT = "stays"
    ENDED = "has ended"
    RELEASED = "has ended: the caller frees its block"
    MERGED = "is now part of the first object"


class Outcome(Enum):
    """What the client does with the result."""

    IGNORED = "is not used"
    NEW = "is a new object"
    REPLACES = "replaces the object"
    REPLACES_IF_SET = "replaces the object unless it is NULL"
    FREED = "is freed by the caller"


@dataclass(frozen=True)
class Operation:
    """One reading of a function."""

    function: ExportedFunction
    roles: tuple[Role, ...]
    fate: Fate = Fate.KEPT
    outcome: Outcome = Outcome.IGNORED

    @property
    def makes(self) -> str:
        """The record of the objects that the operation makes; empty if it makes none."""
        return record_of(self.function.result) if self.outcome is Outcome.NEW else self.initialises

    @property
    def initialises(self) -> str:
        """The record of the block that the operation turns into an object."""
        pointers = [
            (role, record_of(p.type))
            for role, p in zip(self.roles, self.function.parameters, strict=True)
            if role in _POINTER_ROLES
        ]
        return pointers[0][1] if len(pointers) == 1 and pointers[0][0] is Role.BLOCK else ""

    @property
    def ends(self) -> bool:
        """Whether the operation ends an object."""
        return self.fate in (Fate.ENDED, Fate.RELEASED) and Role.ELEMENT not in self.roles

    def words(self) -> list[str]:
        """The precondition and the effect on ownership, a sentence for each."""
        lines = [
            f"{p.name}: {role.value}"
            for role, p in zip(self.roles, self.function.parameters, strict=True)
            if role not in (Role.NUMBER, Role.RECORD)
        ]
        if self.initialises:
            lines.append("the block becomes an object")
        elif self.fate is not Fate.KEPT:
            role = Role.SECOND if self.fate is Fate.MERGED else Role.ELEMENT
            whose = (role,) if role in self.roles else OBJECTS
            place = next(i for i, r in enumerate(self.roles) if r in whose)
            lines.append(f"{self.function.parameters[place].name} {self.fate.value}")
        if self.outcome is not Outcome.IGNORED:
            lines.append(f"the result {self.outcome.value}")
        return lines


OBJECTS = (Role.OBJECT, Role.OBJECT_OR_NULL, Role.ADDRESS)
_POINTER_ROLES = (*OBJECTS, Role.SECOND, Role.ELEMENT, Role.BLOCK)


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
    texts: dict[str, str]
    """The type of each record as C text."""


def object_types(interface: Interface) -> ObjectTypes:
    """The object types of an interface, in the order in which its functions have them."""
    used: dict[str, str] = {}
    for function in interface.functions:
        for type_ in (*(p.type for p in function.parameters), function.result):
            name = record_of(type_)
            if name:
                used[name] = type_.target.removesuffix(" *")
    made = {record_of(f.result) for f in interface.functions if is_direct(f.result) and not _records_of(f)}
    constructed = frozenset(made)
    made |= {t for f in interface.functions for t in initialised_by(f)}
    part_of = {name: [other for other in used if other != name and name in _reaches(interface, other)] for name in used}
    elements: dict[str, str] = {}
    for name, owners in part_of.items():
        proper = [o for o in owners if name not in part_of[o] or (o in made and name not in made)]
        mutual = [o for o in proper if not (name in made and o not in made)]
        if mutual:
            elements[name] = mutual[0]
    kept = tuple(name for name in used if name not in elements or name in made)
    blocks = {t for f in interface.functions for t in initialised_by(f)}
    linked = frozenset(n for n in kept if _is_linked(interface, n))
    headless = {n for n in kept if n not in made or (n not in blocks and _updates(interface, n))}
    return ObjectTypes(
        kept, elements, frozenset(made), constructed, frozenset(blocks), frozenset(headless), linked, used
    )


def _is_linked(interface: Interface, name: str) -> bool:
    """Whether a record has a field of its own type."""
    layout = interface.records.get(name)
    return layout is not None and any(
        isinstance(f.type, PointerType) and isinstance(f.type.target, RecordType) and f.type.target.name == name
        for f in layout.fields
    )


def _updates(interface: Interface, name: str) -> bool:
    """Whether a function takes and returns a pointer to a record with a field of its own type."""
    return _is_linked(interface, name) and any(
        is_direct(f.result) and record_of(f.result) == name and name in _records_of(f) for f in interface.functions
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


def _records_of(function: ExportedFunction) -> list[str]:
    return [record_of(p.type) for p in function.parameters if record_of(p.type)]


def initialised_by(function: ExportedFunction) -> list[str]:
    """The type of the only record parameter, if the name of the function says that it initialises."""
    records = [p for p in function.parameters if record_of(p.type)]
    if len(records) == 1 and is_direct(records[0].type) and re.search(r"init|setup", function.name, re.IGNORECASE):
        return [record_of(records[0].type)]
    return []


def _reaches(interface: Interface, name: str) -> set[str]:
    """The records to which fields of a record lead."""
    reached: set[str] = set()
    waiting = [name]
    while waiting:
        layout = interface.records.get(waiting.pop())
        for member in layout.fields if layout else ():
            target = member.type
            while not isinstance(target, RecordType) and hasattr(target, "target"):
                target = target.target
            if isinstance(target, RecordType) and target.name not in reached:
                reached.add(target.name)
                waiting.append(target.name)
    return reached


def readings(function: ExportedFunction, types: ObjectTypes) -> list[Operation]:
    """The possible readings of a function, the most plausible first; empty if a type is not supported."""
    choices = list(_role_choices(function, types))
    if any(not roles for roles in choices) or function.variadic:
        return []
    ranked = sorted(
        (
            (sum(ranks), Operation(function, roles, fate, outcome))
            for ranks, roles in _combinations(function, choices)
            for fate_rank, fate in enumerate(_fates(function, roles, types))
            for outcome_rank, outcome in enumerate(_outcomes(function, roles, types))
            for ranks in [
                (*ranks, fate_rank, outcome_rank, _KEPT_ELEMENT * (fate is Fate.KEPT and _is_unlinked(roles)))
            ]
        ),
        key=lambda pair: pair[0],
    )
    return [operation for _, operation in islice(ranked, MOST_READINGS)]


_KEPT_ELEMENT = 2
"""The rank of 'stays' for a function that takes an element alone: to unlink it is more plausible."""


def _is_unlinked(roles: tuple[Role, ...]) -> bool:
    return Role.ELEMENT in roles and not any(r in OBJECTS for r in roles)


def _combinations(
    function: ExportedFunction, choices: list[tuple[Role, ...]]
) -> Iterator[tuple[tuple[int, ...], tuple[Role, ...]]]:
    """All assignments of roles, with the rank of each choice: one object of a type, and others only beside it."""
    records = [record_of(p.type) for p in function.parameters]
    for ranks in product(*(range(len(c)) for c in choices)):
        roles = tuple(c[r] for c, r in zip(choices, ranks, strict=True))
        first = [n for n, r in zip(records, roles, strict=True) if r in OBJECTS]
        second = [n for n, r in zip(records, roles, strict=True) if r is Role.SECOND]
        if len(set(first)) == len(first) and len(set(second)) == len(second) and set(second) <= set(first):
            yield ranks, roles


def _role_choices(function: ExportedFunction, types: ObjectTypes) -> Iterator[tuple[Role, ...]]:
    records = _records_of(function)
    for parameter in function.parameters:
        name = record_of(parameter.type)
        if not name:
            yield _plain_roles(parameter)
            continue
        if not is_direct(parameter.type):
            yield (Role.ADDRESS,) if name in types.kept else ()
            continue
        several = records.count(name) > 1
        if name in types.initialised & types.linked and len(records) == 1 and _UNLINKS.search(function.name):
            yield (Role.ELEMENT,)
            continue
        roles: list[Role] = []
        if name in initialised_by(function) or (several and name in types.initialised):
            roles.append(Role.BLOCK)
        if name in types.elements:
            roles.append(Role.ELEMENT)
        if name in types.kept:
            roles.append(Role.OBJECT_OR_NULL if name in types.empty_is_null else Role.OBJECT)
            roles += [Role.ELEMENT, Role.SECOND] if several else [Role.ELEMENT]
            if name not in types.made or (several and name in types.initialised):
                roles.append(Role.BLOCK)
            if name in types.initialised and not several and not parameter.type.constant_target:
                roles.insert(0, Role.ELEMENT)
        yield tuple(dict.fromkeys(roles))


def _plain_roles(parameter: Parameter) -> tuple[Role, ...]:
    type_ = parameter.type.type
    if isinstance(type_, IntegerType | FloatType):
        return (Role.NUMBER,)
    if isinstance(type_, RecordType):
        return (Role.RECORD,)
    if not isinstance(type_, PointerType):
        return ()
    if parameter.type.callback:
        return (Role.CALLBACK,)
    target = type_.target
    if isinstance(target, VoidType):
        return (Role.DATA, Role.OWNED)
    if isinstance(target, IntegerType) and target.bits == CHAR.bits:
        return (Role.TEXT,)
    if isinstance(target, IntegerType | FloatType | PointerType):
        return (Role.RESULT,)
    return ()


def _fates(function: ExportedFunction, roles: tuple[Role, ...], types: ObjectTypes) -> tuple[Fate, ...]:
    """The possible fates; the caller frees only blocks that it may have allocated, or that are handed out."""
    pointers = [(p, r) for p, r in zip(function.parameters, roles, strict=True) if r in _POINTER_ROLES]
    changing = [(p, r) for p, r in pointers if r in (Role.OBJECT, Role.OBJECT_OR_NULL, Role.ELEMENT)]
    if Role.ADDRESS in roles or not changing or all(p.type.constant_target for p, _ in pointers):
        return (Fate.KEPT,)
    if Role.SECOND in roles:
        return (Fate.MERGED, Fate.KEPT)
    subject = next((p for p, r in changing if r is Role.ELEMENT), changing[0][0])
    released = (
        (Fate.RELEASED,) if record_of(subject.type) in types.initialised or _HANDS_OUT.search(function.name) else ()
    )
    if _is_unlinked(roles):
        stays = () if _UNLINKS.search(function.name) else (Fate.KEPT,)
        return (*released, Fate.ENDED, *stays)
    if _ENDS.search(function.name):
        return (Fate.ENDED, *released, Fate.KEPT)
    return (Fate.KEPT, Fate.ENDED, *released)


def _outcomes(function: ExportedFunction, roles: tuple[Role, ...], types: ObjectTypes) -> tuple[Outcome, ...]:
    result, name = function.result, record_of(function.result)
    freed = (Outcome.FREED,) if _HANDS_OUT.search(function.name) else ()
    if name and is_direct(result):
        same = [
            p for p, r in zip(function.parameters, roles, strict=True) if r in OBJECTS and record_of(p.type) == name
        ]
        if same:
            return (Outcome.IGNORED, Outcome.REPLACES, Outcome.REPLACES_IF_SET, *freed)
        if name in types.kept and not any(r in OBJECTS for r in roles):
            return (Outcome.NEW,)
        return (Outcome.IGNORED, *freed)
    if isinstance(result.type, PointerType) and not result.callback:
        return (Outcome.IGNORED, *freed)
    return (Outcome.IGNORED,)
