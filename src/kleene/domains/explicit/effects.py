"""Effects of operations on memory and stack: ending, copying and passing objects, and unknown values."""

from __future__ import annotations

from kleene.cfa.expressions import Variable
from kleene.cfa.operations import DeclareLocal, EndScope
from kleene.cfa.types import FloatType, IntegerType, PointerType, Type
from kleene.domains.explicit.arithmetic import decide
from kleene.domains.explicit.evaluate import NO_BLOCK, access, as_address, outside_label
from kleene.domains.explicit.memory import Block
from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import (
    GARBAGE,
    NULL_BLOCK,
    UNDEFINED,
    UNDEFINED_BLOCK,
    UNKNOWN,
    NotModelled,
    Pointer,
    Unknown,
    Value,
    Violation,
)

_INPUTS = ("__VERIFIER_nondet_pointer", "nondet")
"""Sources of pointers of which nothing is known, not even whether they are initialized."""
_NAMED = ("stack", "global", "string")
"""The kinds of objects that the source has a name for: variables, and string literals as they are written."""
_ENDLESS = 1 << 20
"""Bytes of a block whose size is not known."""


def unknown_block(state: State, label: str) -> int:
    """A block that is not NULL and of which nothing else is known."""
    number = state.new_block(UNKNOWN, _ENDLESS, label)
    state.writable(number).store(0, 1, 1)
    return number


def unknown(state: State, type_: Type, source: str) -> Value:
    if isinstance(type_, IntegerType):
        return state.draw(type_.minimum, type_.maximum, source)
    if isinstance(type_, PointerType) and not source.startswith(_INPUTS):
        return Pointer(unknown_block(state, outside_label(source)), 0)
    if isinstance(type_, PointerType):
        state.tainted = state.tainted or "a pointer that is an input"
        chosen = state.draw(0, 1, source, ("pointer",))
        valid = decide(state, "!=", chosen, 0) if isinstance(chosen, int | Unknown) else 0
        return UNDEFINED if valid else 0
    if isinstance(type_, FloatType) and state.source.floating:  # 0 and 1 say nothing of the others
        state.source.bounded = state.source.bounded or "a floating-point input"
        number = state.draw(0, 1, source, ("floating",))
        return float(decide(state, "!=", number, 0)) if isinstance(number, int | Unknown) else 0.0
    if isinstance(type_, FloatType):
        raise NotModelled("a floating-point input")
    raise NotModelled(f"an input of type {type_}")


NO_HEAP_BLOCK = "no heap block"
"""How the message ends where `free` gets something else."""
INSIDE_BLOCK = "free of offset"
"""How the message begins where `free` gets a pointer into a block."""


def _written(block: Block | None) -> str:
    """What is freed by mistake, as the source calls it."""
    name = block.label.partition("#")[0] if block is not None and block.kind in _NAMED else ""
    return f"{name}, which is {NO_HEAP_BLOCK}" if name and "$" not in name else f"something that is {NO_HEAP_BLOCK}"


def freeable(state: State, value: Value) -> int:
    """The block that free may end; a Violation if it may not."""
    number, bit = as_address(value)
    if number == UNDEFINED_BLOCK:
        raise Violation("invalid_free", "free of an uninitialized pointer")
    block = state.blocks[number] if number != NULL_BLOCK else None
    if block is not None and block.kind == GARBAGE:
        raise Violation("invalid_free", "free of an uninitialized pointer")
    if block is not None and block.kind == UNKNOWN:
        raise NotModelled(f"free of {block.label}")
    if block is None and bit != 0:
        raise Violation("invalid_free", NO_BLOCK)
    if block is None or block.kind != "heap":
        raise Violation("invalid_free", f"free of {_written(block)}")
    if not block.alive:
        raise Violation("double_free", f"{block.label} is freed already", number)
    if bit != 0:
        raise Violation("invalid_free", f"{INSIDE_BLOCK} {bit // 8} of {block.label}", number)
    return number


def declare(state: State, operation: DeclareLocal) -> None:
    variable = operation.variable
    drop(state, variable)
    number = state.new_block("stack", variable.type.size, variable.name, operation.place)
    state.locals[variable.name] = number


def end_scope(state: State, operation: EndScope) -> None:
    for variable in operation.variables:
        drop(state, variable)


def drop(state: State, variable: Variable) -> None:
    number = state.locals.pop(variable.name, None)
    if number is not None:
        state.kill(number)


def pass_argument(state: State, parameter: Variable, value: Value | Block) -> int:
    number = state.new_block("stack", parameter.type.size, parameter.name)
    if isinstance(value, Block):
        state.blocks[number].paste(0, value, 0, parameter.type.size * 8)
    else:
        if type(value) is int and isinstance(parameter.type, IntegerType):
            value = parameter.type.wrap(value)
        state.blocks[number].store(0, parameter.type.size * 8, value)
    return number


def copy(state: State, to: tuple[int, int], source: tuple[int, int], width: int) -> None:
    start = access(state, source[0], source[1], width)
    access(state, to[0], to[1], width)
    if to == source:
        state.assignable(to[0])
        return
    if to[0] == source[0]:
        start = start.copy(None)
    state.assignable(to[0]).paste(to[1], start, source[1], width)
