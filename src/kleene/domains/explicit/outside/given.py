"""What unknown code leaves in the objects that it is given: a pointer that was missing may be there after the call.

Runs take the branch of such a call in which nothing changes (`c/library/externs.py`). A pointer that is NULL or not
initialized in an object whose address is passed, such as an output parameter, is then NULL by assumption only, as a
result of unknown code is: an error that depends on it is no finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from kleene.cfa.expressions import AddressOf, Cast, Expression, StringLiteral, Variable, walk
from kleene.cfa.operations import Havoc, Operation
from kleene.cfa.program import CProgram
from kleene.cfa.types import ArrayType, PointerType, RecordLayout, RecordType, Type
from kleene.domains.explicit.evaluate import Compiler
from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import RETURNED_NULL, NotModelled, Pointer, Undefined, Value

_BYTE = 8
_MOST_ELEMENTS = 16
"""Elements of an array whose pointers are looked at: larger ones are tables, not output parameters."""
_WRITABLE = ("heap", "stack", "global")


def missing_pointers(
    program: CProgram, compiler: Compiler, location: str, operation: Operation
) -> Callable[[State], None] | None:
    """What a call of unknown code at a location does to the objects that it is given; None if it gets no pointers."""
    objects = []
    source = operation.source.partition(" ")[0] if isinstance(operation, Havoc) else ""
    for argument in passed_pointers(program, location):
        type_ = _object_type(argument)
        offsets = tuple(_pointer_offsets(type_, program.records)) if type_ is not None else ()
        if offsets:
            objects.append((compiler.value(argument), offsets))
    if not objects:
        return None
    width = program.pointer_size * _BYTE

    def leave(state: State) -> None:
        for address, offsets in objects:
            _leave_nulls(state, address(state), offsets, width, f"what {source}() leaves there")

    return leave


def passed_pointers(program: CProgram, location: str) -> list[Expression]:
    """The pointers that unknown code is given at a location; passes leave out globals that nothing else names."""
    names = {item.variable.name for item in program.globals}
    return [
        pointer
        for pointer in program.passed_on.get(location, ())
        if all(v.name in names for v in walk(pointer) if isinstance(v, Variable) and v.is_global)
    ]


def _object_type(argument: Expression) -> Type | None:
    """The type of the object whose address an argument is."""
    while isinstance(argument, Cast) and isinstance(argument.operand.type, PointerType):
        argument = argument.operand
    if isinstance(argument, AddressOf) and isinstance(argument.target, StringLiteral):
        return None
    return argument.type.target if isinstance(argument.type, PointerType) else None


def _pointer_offsets(type_: Type, records: Mapping[str, RecordLayout]) -> Iterator[int]:
    """The offsets of the pointers in an object, in bytes."""
    match type_:
        case PointerType():
            yield 0
        case RecordType(name=name) if name in records:
            for member in records[name].fields:
                yield from (member.offset + inner for inner in _pointer_offsets(member.type, records))
        case ArrayType(element=element, count=count) if count <= _MOST_ELEMENTS:
            for number in range(count):
                yield from (number * element.size + inner for inner in _pointer_offsets(element, records))


def _leave_nulls(state: State, address: Value, offsets: tuple[int, ...], width: int, label: str) -> None:
    """Replace the missing pointers of an object by null pointers of unknown code."""
    block = state.blocks.get(address.block) if isinstance(address, Pointer) else None
    if not isinstance(address, Pointer) or block is None or not block.alive or block.kind not in _WRITABLE:
        return
    for bit in ((address.offset + offset) * _BYTE for offset in offsets):
        if not 0 <= bit <= block.size * _BYTE - width:
            continue
        try:
            value = block.load(bit, width)
        except NotModelled:
            continue
        if value == 0 or isinstance(value, Undefined):
            null = state.new_block(RETURNED_NULL, 0, label)
            state.writable(address.block).store(bit, width, Pointer(null, 0))
