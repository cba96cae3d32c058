"""Values of the parameters of the entry at the start of a run.

Numbers are inputs. `argv` of `main` is an array of argc texts that ends with NULL (C17, 5.1.2.2.1). It is made on first
access; lengths and characters of the texts are inputs. Where these are unknown, there are only a few short texts, so no
proof relies on them. Other pointers are NULL or point to unknown memory; an input chooses on first use.
"""

from __future__ import annotations

from collections.abc import Sequence

from kleene.cfa.program import CProgram
from kleene.cfa.types import CHAR, IntegerType, PointerType
from kleene.domains.explicit.arithmetic import concrete, decide
from kleene.domains.explicit.memory import Block
from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import UNDEFINED, UNKNOWN, NotModelled, Pointer, Unknown, Value
from kleene.passes.entry_parameters import LEAST_ARGUMENTS, MOST_ARGUMENTS, is_texts, unknown_memory

ARGUMENTS = "arguments"
"""The kind of the block of `argv` before it is looked at; it keeps their number in its first cell."""
HIDDEN = frozenset(("opaque", UNKNOWN, ARGUMENTS))
"""The kinds of blocks whose contents are not shown."""
_FEW_ARGUMENTS, _MANY_ARGUMENTS = 3, 1 << 13
"""Arguments, with the name of the program: enough for an option and its value; and those of a run on given inputs."""
_FEW_CHARACTERS, _MANY_CHARACTERS = 2, 1 << 16
"""Characters of each text before its end: enough for an option such as -x; and those of a run on given inputs."""
UNWRITTEN = "uninitialized number"
"""The purpose of an input that is the value of a number which was not written."""
_ENDLESS = 1 << 20
"""Bytes of a block whose size is not known."""


def entry_value(state: State, program: CProgram, number: int, given: Sequence[Value]) -> Value:
    """The value of the parameter of that number; `given` has those before it. UNDEFINED if it is unknown."""
    parameter = program.main.parameters[number]
    type_ = parameter.type
    if isinstance(type_, IntegerType):
        is_count = program.entry == "main" and number == 0
        low, high = (LEAST_ARGUMENTS, MOST_ARGUMENTS) if is_count else (type_.minimum, type_.maximum)
        return state.draw(low, high, f"parameter {parameter}")
    if not isinstance(type_, PointerType):
        return UNDEFINED
    if not is_texts(program, number):
        return Pointer(state.new_block(UNKNOWN, _ENDLESS, unknown_memory(program, parameter)), 0)
    if number > 1 or not isinstance(given[0], int | Unknown):
        return Pointer(state.new_block("opaque", _ENDLESS, f"*{parameter}"), 0)
    arguments = state.new_block(ARGUMENTS, type_.target.size, f"*{parameter}")
    state.blocks[arguments].store(0, type_.target.size * 8, given[0])
    return Pointer(arguments, 0)


def look_at_arguments(state: State, number: int) -> Block:
    """Make the texts of `argv`, whose block has this number."""
    block = state.blocks[number]
    width, count = block.cells[0]
    whole = state.source.whole_arguments
    most = _MANY_ARGUMENTS if whole else _FEW_ARGUMENTS
    if isinstance(count, Unknown) and not decide(state, "<=", count, most):
        raise NotModelled(f"more than {most} arguments")
    amount = concrete(state, count)
    if amount > most:
        raise NotModelled(f"more than {most} arguments")
    texts = [_characters(state, n, whole=whole) for n in range(amount)]
    if not whole:
        state.source.bounded = f"only {_FEW_ARGUMENTS} arguments of {_FEW_CHARACTERS} characters are tried"
    block = state.writable(number)
    block.kind, block.size, block.cells = "global", (amount + 1) * width // CHAR.bits, {}
    block.store(amount * width, width, 0)
    for n, characters in enumerate(texts):
        text = state.new_block("global", len(characters) + 1, f"argument {n}")
        for k, character in enumerate([*characters, 0]):
            state.blocks[text].store(k * CHAR.bits, CHAR.bits, character)
        block.store(n * width, width, Pointer(text, 0))
    return block


def _characters(state: State, number: int, *, whole: bool) -> list[Value]:
    """The characters of an argument."""
    low, high = (0, _MANY_CHARACTERS) if whole else (_FEW_CHARACTERS, _FEW_CHARACTERS)
    length = state.draw(low, high, f"length of argument {number}", ("length", number))
    assert isinstance(length, int)
    return [
        state.draw(CHAR.minimum, CHAR.maximum, f"character {k + 1} of argument {number}", ("argument", number, k))
        for k in range(length)
    ]
