"""printf: enough to compare the output of a run with the output of the compiled program."""

from __future__ import annotations

import re

from kleene.cfa.types import CHAR, IntegerType
from kleene.domains.explicit.arithmetic import compare_numbers
from kleene.domains.explicit.evaluate import access, as_address, reader
from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import NotModelled, Pointer, Unknown, Value

_DIRECTIVE = re.compile(r"%([-+ 0#]*)(\d*)(?:\.(\d+))?(hh|h|ll|l|z|j|t)?([diouxXcsp%eEfgG])")
_READ_BYTE = reader(CHAR, CHAR.bits)
_NARROW = {"hh": 8, "h": 16}
"""Bits of a number printed with these lengths; with others, the bits of the argument."""


def render(state: State, format_: str, values: list[Value], sizes: list[int]) -> str:
    """The text; an argument that cannot be shown is a question mark. `sizes` are those of the arguments, in bytes."""
    left = iter(zip(values, sizes, strict=True))

    def replace(match: re.Match[str]) -> str:
        flags, width, precision, length, code = match.groups()
        if code == "%":
            return "%"
        value, size = next(left, (None, 0))
        spec = f"%{flags}{width}" + (f".{precision}" if precision else "")
        if isinstance(value, int) and code in "diouxX":
            bits = _NARROW.get(length, size * 8)
            return f"{spec}{code}" % IntegerType(bits, signed=code in "di").wrap(value)
        if isinstance(value, int) and code == "c":
            return chr(value & 255)
        if isinstance(value, float) and code in "eEfgG":
            return f"{spec}{code}" % value
        if isinstance(value, Pointer) and code == "s":
            return _text(state, value)
        return "?"

    return _DIRECTIVE.sub(replace, format_)


def read_text(state: State, value: Value) -> None:
    """Read a text to its end; a Violation if it is not all in memory. Bytes that were never written are inputs."""
    number, bit = as_address(value)
    while True:
        byte = _READ_BYTE(state, number, bit, access(state, number, bit, CHAR.bits).load(bit, CHAR.bits))
        if not isinstance(byte, int | Unknown):
            raise NotModelled("output of a text that is not known")
        if not compare_numbers(state, "!=", byte, 0):
            return
        bit += CHAR.bits


def _text(state: State, pointer: Pointer) -> str:
    block = state.blocks[pointer.block]
    text = ""
    for offset in range(pointer.offset, block.size):
        byte = block.load(offset * 8, 8) if block.alive else None
        if not isinstance(byte, int) or byte == 0:
            break
        text += chr(byte & 255)
    return text
