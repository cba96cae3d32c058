"""Errors that depend on code outside of the file, or on what its callers set: they need not be there.

A function without a body need not return, nor return such a number. A function of the client that is to return an index
returns one that fits. A block that is to be initialised may have members that its caller has set.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Set
from pathlib import Path

from kleene.analysis.c.library.client.calls import CALLBACK, stores_data
from kleene.analysis.c.library.client.text import CLIENT, Client
from kleene.analysis.c.library.inference.reasons import (
    DATA_IS_LEFT,
    FREES,
    FREES_TEXT,
    INDEXES,
    KEEPS,
    KEEPS_ARRAY,
    KEEPS_IN_FILE,
    OUTSIDE,
    READS_BLOCK,
    RETURNS,
)
from kleene.analysis.c.library.interface.exports import Interface
from kleene.analysis.c.library.readings.operations import Role
from kleene.cfa.operations import Assume, Free, Return
from kleene.cfa.types import PointerType, Type, VoidType
from kleene.domains.explicit.effects import NO_HEAP_BLOCK
from kleene.domains.explicit.entry import UNWRITTEN
from kleene.domains.explicit.evaluate import NO_BLOCK
from kleene.domains.explicit.explore import Confirmed
from kleene.domains.explicit.interpreter import run
from kleene.domains.explicit.state import GivenInputs
from kleene.domains.explicit.values import Pointer

_OTHERS = (0, 1, 64, 1 << 20)
"""Numbers that a function may return instead: none, a few, many."""
_BYTE_BITS, _POINTER_BITS = 8, 64
"""Bits of a byte, and of a pointer."""
_OF_INDICES = "out_of_bounds"
"""The kind of errors that a number has as an index or as a size."""


def doubt_about(error: Confirmed, client: Client, interface: Interface) -> str:
    """Why an error that a run shows need not be one; empty if nothing outside of the file matters."""
    if name := depends_on(error, {f.name for f in interface.missing}):
        trace = error.trace
        value = next(v for v, why in zip(trace.inputs, trace.reasons, strict=True) if why == name)
        return OUTSIDE.format(name, value)
    if name := _complaint_in(error, interface.complaints):
        return RETURNS.format(name)
    if error.fault.message == NO_BLOCK and any(stores_data(o) for o in client.lines.values()):
        return FREES
    if error.fault.message.endswith(NO_HEAP_BLOCK) and any(Role.LASTING_TEXT in o.roles for o in client.lines.values()):
        return FREES_TEXT
    if any({Role.ARRAY, Role.FIXED} & set(client.lines[i].roles) for i in _allocating(error) if i in client.lines):
        return KEEPS_ARRAY
    drawn = list(_drawn(error))
    initialisers = {o.function.name for o in client.lines.values() if Role.INITIALISED in o.roles}
    reading = [name for why, stack in drawn if why == UNWRITTEN for name in stack if name in initialisers]
    if reading:
        return READS_BLOCK.format(reading[0])
    places = {i for i, (_, stack) in enumerate(drawn) if stack and stack[-1].startswith(CALLBACK)}
    if error.fault.kind == _OF_INDICES and places and _is_gone_with(error, places):
        return INDEXES
    if error.fault.kind == "memory_leak" and (kept := _kept_in_file(error, interface)) is not None:
        return KEEPS_IN_FILE.format(*kept)
    if error.fault.kind == "memory_leak" and _is_data_of_client(error, interface):
        return DATA_IS_LEFT
    return KEEPS if error.fault.kind == "memory_leak" and _is_handed_to_client(error) else ""


def _kept_in_file(error: Confirmed, interface: Interface) -> tuple[str, str] | None:
    """The variable of the file that still leads to a block which is left, and a function that may free it.

    A pool keeps what it gets back; a function that the run did not call gives all of it back.
    """
    program, called, last = error.trace.program, set[str](), None
    for last in error.trace.states():  # one state that goes on
        called |= {frame.function for frame in last.frames}
    assert last is not None
    frees = {name for name, f in program.functions.items() if any(isinstance(e.label, Free) for e in f.cfa.edges)}
    others = [f.name for f in interface.functions if f.name in program.functions and f.name not in called]
    releasing = next((name for name in others if not frees.isdisjoint(program.reached_from(name))), None)
    held = ((number, block) for number, block in last.blocks.items() if block.kind == "global")
    holder = next((b.label for number, b in held if error.fault.block in last.reachable([number])), None)
    return (holder, releasing) if holder is not None and releasing is not None else None


def _allocating(error: Confirmed) -> set[int]:
    """The lines of the client that have allocated a block which is used when it was freed."""
    number = error.fault.block if error.fault.kind == "dangling_dereference" else None
    blocks = [s.blocks[number] for s in error.trace.states() if number is not None and number in s.blocks]
    return {b.place.line for b in blocks if b.place is not None and Path(b.place.file).name == CLIENT}


def _is_data_of_client(error: Confirmed, interface: Interface) -> bool:
    """Whether a lost block was known by a `void *` of another block alone, which an exported function lets clients set.

    A list that stores pointers leaves it to its clients to end what they lead to, even if the library has made it.
    """
    if not any(_is_data(p.type.type) for f in interface.functions for p in f.parameters):
        return False
    members = [(n.type.size, f.offset) for n in interface.records.values() for f in n.fields if _is_data(f.type)]
    for state in error.trace.states():
        for block in state.blocks.values():
            known = [offset for size, offset in members if block.alive and block.kind == "heap" and size == block.size]
            values = (block.load(offset * _BYTE_BITS, _POINTER_BITS) for offset in known)
            if any(isinstance(value, Pointer) and value.block == error.fault.block for value in values):
                return True
    return False


def _is_data(type_: Type) -> bool:
    return isinstance(type_, PointerType) and isinstance(type_.target, VoidType)


def _is_handed_to_client(error: Confirmed) -> bool:
    """Whether a function of the client that returns a pointer gets the lost block in the last operation of a run.

    It chooses what the library takes out, and its caller ends that.
    """
    handed, was_between = False, True
    for state in error.trace.states():
        function = state.frames[-1].function if state.frames else ""
        is_between = len(state.frames) <= 1
        handed = handed and (is_between or not was_between)
        was_between = is_between
        if function.startswith(CALLBACK) and _returns_pointer(error, function):
            values = (state.blocks[number].load(0, _POINTER_BITS) for number in state.locals.values())
            handed = handed or any(isinstance(v, Pointer) and v.block == error.fault.block for v in values)
    return handed


def _returns_pointer(error: Confirmed, function: str) -> bool:
    labels = (edge.label for edge in error.trace.program.functions[function].cfa.edges)
    returned = (label.value for label in labels if isinstance(label, Return))
    return any(value is not None and isinstance(value.type, PointerType) for value in returned)


def depends_on(error: Confirmed, missing: Collection[str]) -> str:
    """The function without a body whose number an error depends on; empty if it is there with other numbers, too."""
    for name in dict.fromkeys(reason for reason in error.trace.reasons if reason in missing):
        if _is_gone_with(error, {i for i, reason in enumerate(error.trace.reasons) if reason == name}):
            return name
    return ""


def _is_gone_with(error: Confirmed, places: Set[int]) -> bool:
    """Whether an error is not there if some inputs are other numbers."""
    trace = error.trace
    for other in _OTHERS:
        inputs = [other if i in places else value for i, value in enumerate(trace.inputs)]
        again = run(trace.program, inputs, malloc_may_fail=trace.malloc_may_fail, choose_garbage=trace.choose_garbage)
        if again.fault is None or again.fault.place != error.fault.place:
            return True
    return False


def _complaint_in(error: Confirmed, complaints: Mapping[tuple[str, int, int], str]) -> str:
    """The function without a body that a run calls where a test has failed, as an assertion does; empty if none.

    In a macro the test has the place of the call.
    """
    places = (s.operation.place for s in error.trace.steps if not isinstance(s.operation, Assume))
    known = ((Path(p.file).name, p.line, p.column) for p in places)
    return next((complaints[place] for place in known if place in complaints), "")


def _drawn(error: Confirmed) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The purpose of each input of a run, and the functions that were active when it was drawn."""
    count, stack = 0, tuple[str, ...]()
    for state in error.trace.states():
        used = state.source.used if isinstance(state.source, GivenInputs) else []
        yield from ((why, stack) for _, why in used[count:])
        count, stack = len(used), tuple(frame.function for frame in state.frames)
