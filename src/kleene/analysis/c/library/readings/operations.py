"""How a client may call an exported function: the role of each argument, and what happens to object and result.

C types do not say whether `struct node *` is a list, an element of one, or a block that the function initialises. An
*operation* is one reading of a function. `readings` lists the possible ones; `inference` selects the first one that
runs without an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

from kleene.analysis.c.library.interface.exports import ExportedFunction
from kleene.analysis.c.library.interface.object_types import record_of
from kleene.analysis.c.library.interface.sizes import COUNTS, is_count, is_element_size
from kleene.c.library.outside import is_our_stream
from kleene.results.library import Reading


class Role(Enum):
    """What an argument is."""

    OBJECT = "an object"
    OBJECT_OR_NULL = "NULL or an object"
    ADDRESS = "the address of the pointer to an object"
    MADE = "the address of a variable for an object that it makes"
    SECOND = "another object"
    GIVEN = "an object that becomes part of the first one"
    LOOSE = "a node that is part of no object, as functions make it"
    ELEMENT = "an element of the object"
    ELEMENT_OR_NULL = "NULL or an element of the object"
    BLOCK = "a block of the caller, not initialised"
    INITIALISED = "a block of the caller, not initialised, which becomes an object"
    NUMBER = "any number"
    AMOUNT = "a number of elements for which memory is large enough: at most 2 to the power of 24"
    SIZE = "the size of an element: at least 1, and at most 2 to the power of 24"
    TEXT = "a text"
    LASTING_TEXT = "a text that outlives the object"
    ARRAY = "an array with as many elements as the number beside it"
    FIXED = "an array with as many elements as its declaration says"
    VALUE = "a block of as many bytes as an element of the object has"
    DATA = "a pointer that is stored only"
    STORED = "a pointer that is stored only, and not NULL"
    OWNED = "a block that the library frees"
    RESULT = "a variable for a result"
    RESULT_OR_NULL = "NULL or a variable for a result"
    TAKEN = "a variable for a block that the caller frees"
    CALLBACK = "a function of the client"
    CALLBACK_OR_NULL = "NULL or a function of the client"
    DROP = "a function of the client that ends the data which it gets"
    DROP_OR_NULL = "NULL or a function of the client that ends the data which it gets"
    RECORD = "a record by value"


DROPS = (Role.DROP, Role.DROP_OR_NULL)
CALLBACKS = (*DROPS, Role.CALLBACK, Role.CALLBACK_OR_NULL)
OR_NULL = {Role.CALLBACK: Role.CALLBACK_OR_NULL, Role.DROP: Role.DROP_OR_NULL}
"""Functions of the client, and the weaker precondition of each."""
RESULTS = (Role.RESULT, Role.RESULT_OR_NULL)
OBJECTS = (Role.OBJECT, Role.OBJECT_OR_NULL, Role.ADDRESS)
TEXTS = (Role.TEXT, Role.LASTING_TEXT)
ELEMENTS = (Role.ELEMENT, Role.ELEMENT_OR_NULL)
POINTER_ROLES = (*OBJECTS, *ELEMENTS, Role.MADE, Role.SECOND, Role.GIVEN, Role.LOOSE, Role.BLOCK, Role.INITIALISED)

NEVER_NULL = (
    Role.OBJECT,
    Role.ADDRESS,
    Role.MADE,
    Role.LOOSE,
    Role.ELEMENT,
    Role.BLOCK,
    Role.INITIALISED,
    Role.RESULT,
    Role.TAKEN,
)
"""Pointers of the client that are never NULL; an object is not, unless NULL is the empty one."""


class Fate(Enum):
    """What happens to the object (or to the element, if there is one) after the call."""

    KEPT = "stays"
    ENDED = "has ended"
    RELEASED = "has ended: the caller frees its block"
    LOOSENED = "is part of no object now: the caller ends it by a function of the library"
    MERGED = "is now part of the first object"
    MOVED = "has ended: its elements are now part of the first object, and the caller frees its block"
    FIRST = "is called once, before the others"
    LAST = "is called once, after the others"


class Outcome(Enum):
    """What the client does with the result."""

    SEEN = "is read, unless it is NULL"
    IGNORED = "is not used"
    NEW = "is a new object"
    ANOTHER = "is another object"
    REPLACES = "replaces the object"
    REPLACES_IF_SET = "replaces the object unless it is NULL"
    FREED = "is freed by the caller"
    ZERO_IF_MADE = "is 0 exactly if the object is made"
    SET_IF_MADE = "is not 0 exactly if the object is made"
    POSITIVE_IF_MADE = "is more than 0 exactly if the object is made"
    ZERO_IF_GIVEN = "is 0 exactly if what it gets becomes part of the object; else it stays with the caller"
    SET_IF_GIVEN = "is not 0 exactly if what it gets becomes part of the object; else it stays with the caller"
    OVER_IF_ZERO = "is 0 where the iteration is over: then it is not called again"
    OVER_IF_SET = "is not 0 where the iteration is over: then it is not called again"


STATUS = (Outcome.ZERO_IF_MADE, Outcome.SET_IF_MADE, Outcome.POSITIVE_IF_MADE)
GIVING = (Outcome.ZERO_IF_GIVEN, Outcome.SET_IF_GIVEN)
"""What a function may say that links what it gets into an object, unless the object is full."""
REPLACING = (Outcome.REPLACES, Outcome.REPLACES_IF_SET)
OVER = (Outcome.OVER_IF_ZERO, Outcome.OVER_IF_SET)
"""What a function of an iterator may say: many must not be called again behind the end."""
KEPT_RESULTS = (Outcome.NEW, Outcome.ANOTHER, *REPLACING)


_STREAM = "a stream that is open"


@dataclass(frozen=True)
class Operation:
    """One reading of a function."""

    function: ExportedFunction
    roles: tuple[Role, ...]
    fate: Fate = Fate.KEPT
    outcome: Outcome = Outcome.IGNORED

    def with_roles(self, others: Mapping[Role, Role]) -> Operation:
        """The reading with other roles in place of some."""
        return replace(self, roles=tuple(others.get(role, role) for role in self.roles))

    def with_amounts(self) -> Operation:
        """The reading whose numbers of elements, by their names, are so small that no product with a size overflows."""
        if Role.ARRAY in self.roles:
            return self
        counted = (self._amount(i) if r is Role.NUMBER else r for i, r in enumerate(self.roles))
        return replace(self, roles=tuple(counted))

    def _amount(self, place: int) -> Role:
        if is_element_size(self.function, place):
            return Role.SIZE
        return Role.AMOUNT if is_count(self.function, place) else Role.NUMBER

    @property
    def stored(self) -> Reading:
        """The reading as results store it."""
        return Reading(tuple(r.name.lower() for r in self.roles), self.fate.name.lower(), self.outcome.name.lower())

    @property
    def makes(self) -> str:
        """The record of the objects that the operation makes; empty if it makes none."""
        if self.outcome is Outcome.NEW:
            return record_of(self.function.result)
        return self.initialises or ("" if self.makes_another else self._made)

    @property
    def outcome_replaces(self) -> bool:
        """Whether the result, or the variable whose address is passed, is the object from now on."""
        return self.outcome in REPLACING or Role.ADDRESS in self.roles

    @property
    def makes_another(self) -> str:
        """The record of an object that the operation makes beside one of the same type; empty if it makes none."""
        if self.outcome is Outcome.ANOTHER:
            return record_of(self.function.result)
        return self._made if self._made in self.records_in(*OBJECTS) else ""

    @property
    def _made(self) -> str:
        """The record of the objects for which the operation gets a variable."""
        return next(iter(self.records_in(Role.MADE)), "")

    @property
    def sized(self) -> str:
        """The record of the object whose elements have as many bytes as an argument; empty if there is none."""
        return next((n for n in self.records_in(*OBJECTS) if n), "") if Role.VALUE in self.roles else ""

    @property
    def initialises(self) -> str:
        """The record of the block that the operation turns into an object."""
        blocks = self.records_in(Role.INITIALISED)
        return blocks[0] if blocks else ""

    @property
    def ends(self) -> bool:
        """Whether the operation ends an object."""
        return self.fate in (Fate.ENDED, Fate.RELEASED) and not self.takes_element

    def count_beside(self, place: int) -> int:
        """The argument that has the number of elements of an array: the number after it or before it, by its name."""
        beside = [i for i in (place + 1, place - 1) if 0 <= i < len(self.roles) and self.roles[i] is Role.NUMBER]
        named = [i for i in beside if COUNTS.search(self.function.parameters[i].name)]
        return (named or beside)[0]

    @property
    def takes_element(self) -> bool:
        """Whether an argument is an element of an object."""
        return any(role in ELEMENTS for role in self.roles)

    @property
    def takes_object(self) -> bool:
        """Whether an argument is an object, or the address of a pointer to one."""
        return any(role in OBJECTS for role in self.roles)

    def records_in(self, *roles: Role) -> list[str]:
        """The records of the arguments in some roles."""
        return [
            record_of(p.type) for role, p in zip(self.roles, self.function.parameters, strict=True) if role in roles
        ]

    def words(self) -> list[str]:
        """The precondition and the effect on ownership, a sentence for each."""
        lines = [
            f"{p.name}: {_STREAM if is_our_stream(p.type.type) and role is Role.OBJECT else role.value}"
            for role, p in zip(self.roles, self.function.parameters, strict=True)
            if role not in (Role.NUMBER, Role.RECORD)
        ]
        if self.fate in (Fate.FIRST, Fate.LAST):
            lines.append(f"it {self.fate.value}")
        elif self.fate is not Fate.KEPT:
            wanted = (Role.SECOND,) if self.fate in (Fate.MERGED, Fate.MOVED) else (*ELEMENTS, Role.LOOSE)
            whose = wanted if any(role in self.roles for role in wanted) else OBJECTS
            place = next(i for i, r in enumerate(self.roles) if r in whose)
            lines.append(f"{self.function.parameters[place].name} {self.fate.value}")
        if Role.LOOSE in self.roles and self.fate is Fate.KEPT and self.takes_object:
            lines.append(f"{self.function.parameters[self.roles.index(Role.LOOSE)].name} {Fate.MERGED.value}")
        if self.outcome not in (Outcome.SEEN, Outcome.IGNORED):
            lines.append(f"the result {self.outcome.value}")
        return lines
