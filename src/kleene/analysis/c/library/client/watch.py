"""Data of the client with an owner: functions such as ``void (*drop)(void *)`` end it, and then nobody may use it.

Stored data points nowhere, so a library that drops an element twice, or uses it afterwards, has no error in the client
of `text`. A second client watches one datum, which stands for any. It hands it in once, in a block of its own, while
all other data is NULL or a variable. Its functions that end data note that the watched one has ended, and it is an
error if they get it again, or if any function of the client or any result is the watched datum then. Operations on two
objects are left out: both may have the same data afterwards, which has no owner.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from kleene.analysis.c.library.readings.operations import CALLBACKS, DROPS, Operation, Role
from kleene.cfa.program import CProgram
from kleene.cfa.types import PointerType, Type, VoidType

_TAKES = re.compile(r"pop|dequeue|take|steal|detach|extract|unlink|remove|delete", re.IGNORECASE)
"""Names of functions whose caller owns the datum that they return."""
OTHER = "&kleene_other"
"""Data that is neither NULL nor watched."""
WATCHED = """\
static char *kleene_watched;
static char kleene_other;
static int kleene_watch;
static void *kleene_datum(void) {
    int which = __VERIFIER_nondet_int();
    if (which == 1 && kleene_watch == 0) {
        kleene_watch = 1;
        return kleene_watched;
    }
    return which == 0 ? NULL : &kleene_other;
}
static void *kleene_stored(void) {
    void *datum = kleene_datum();
    return datum ? datum : &kleene_other;
}
static void *kleene_key(void) {
    int which = __VERIFIER_nondet_int();
    return which == 1 && kleene_watch < 2 ? kleene_watched : which == 0 ? NULL : &kleene_other;
}
static void kleene_use(void *datum) {
    if (datum == kleene_watched && kleene_watch == 2) {
        free(kleene_watched);
        (void)*kleene_watched;
    }
}
static void kleene_end(void *datum) {
    if (datum == kleene_watched && kleene_watch == 2) {
        free(kleene_watched);
        free(kleene_watched);
    }
    if (datum == kleene_watched)
        kleene_watch = 2;
}
"""
"""What becomes of the watched datum (`kleene_watch`): not handed in, handed in, ended."""
BEGIN = "    kleene_watched = malloc(1); if (!kleene_watched) return 0;"
END = "            free(kleene_watched);"


@dataclass(frozen=True)
class Watch:
    """How one client watches a datum."""

    stored: Mapping[str, frozenset[int]]
    """The arguments that each function may store, by place: the watched datum is handed in once."""
    examined: bool
    """Whether code of the library may treat data differently; else NULL stands for all that is not watched."""

    @property
    def text(self) -> str:
        """The functions of the client that make, use and end data."""
        return WATCHED if self.examined else WATCHED.replace(OTHER, "NULL")

    def datum(self, operation: Operation, place: int) -> str:
        """An argument: data to be stored, or data to look for, which may be stored already.

        Beside a function with several pointers it may be the context of this function, which does not end with it.
        """
        pairs = zip(operation.function.parameters, operation.roles, strict=True)
        is_stored = place in self.stored.get(operation.function.name, frozenset((place,)))
        called = DROPS if is_stored else CALLBACKS
        beside = [p.type for p, r in pairs if r in called]
        if any(sum(is_datum(t.type) for t in type_.callback[1:]) > 1 for type_ in beside):
            return OTHER if self.examined else "NULL"
        if not is_stored:
            return "kleene_key()"
        return "kleene_stored()" if operation.roles[place] is Role.STORED else "kleene_datum()"


def use(value: str, type_: Type) -> str:
    """The statement by which the client uses what may be a datum; empty for other types."""
    return f"kleene_use({value});" if is_datum(type_) else ""


def end(value: str, type_: Type) -> str:
    """The statement by which the client ends what may be a datum; empty for other types."""
    return f"kleene_end({value});" if is_datum(type_) else ""


def own_result(operation: Operation, value: str, type_: Type) -> str:
    """The statement for a result: its caller ends it, or uses it only."""
    return (end if _TAKES.search(operation.function.name) else use)(value, type_)


def is_datum(type_: Type) -> bool:
    return isinstance(type_, PointerType) and isinstance(type_.target, VoidType)


def hands_on_data(program: CProgram, operation: Operation) -> bool:
    """Whether an operation may give a datum to its caller, or to a function of the client that uses or ends it."""
    function = operation.function
    stored = [p.type.type.target for p in function.parameters if isinstance(p.type.type, PointerType)]
    reached = program.reached_from(function.name)
    return any(map(is_datum, (function.result.type, *stored))) or bool({"kleene_use", "kleene_end"} & set(reached))


def watched(operations: list[Operation]) -> list[Operation]:
    """The operations of a client that watches a datum; none if no function ends data, or no operation stores any."""
    single = [o for o in operations if not o.makes_another and Role.SECOND not in o.roles]
    roles = {role for operation in single for role in operation.roles}
    return single if not roles.isdisjoint(DROPS) and not roles.isdisjoint((Role.DATA, Role.STORED)) else []
