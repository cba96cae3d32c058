"""Explicit facts of a path: places of lvalues, offsets of pointers, numbers that do not depend on inputs.

These are facts of every execution along the path, read off the states of the interpreter; the relation of a step
(`relation`) takes them for granted.
"""

from __future__ import annotations

from kleene.cfa.expressions import Cast, Deref, Expression, Field, Index, StringLiteral, Variable
from kleene.domains.explicit.evaluate import bit_width
from kleene.domains.explicit.machine import Machine
from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import NotModelled, Pointer, Split, Undefined, Value, Violation


class Unfit(Exception):
    """The path has no relation in the vocabulary; the text is the reason."""


def root_of(lvalue: Expression) -> Expression:
    """The variable, dereference or string that an lvalue is a part of."""
    while isinstance(lvalue, Field | Index | Cast):
        lvalue = lvalue.operand if isinstance(lvalue, Cast) else lvalue.base
    return lvalue


def label_of(lvalue: Expression) -> str:
    """The members that lead from the root of an lvalue to it, as in `in.link`."""
    names: list[str] = []
    while isinstance(lvalue, Field | Index | Cast):
        if isinstance(lvalue, Field):
            names.append(lvalue.name)
        lvalue = lvalue.operand if isinstance(lvalue, Cast) else lvalue.base
    return ".".join(reversed([name for name in names if name]))


class Facts:
    """The state before one step, asked without being changed."""

    def __init__(self, machine: Machine, state: State) -> None:
        self.machine = machine
        self.state = state
        self._scratch = state.clone()

    def address(self, lvalue: Expression) -> tuple[int, int]:
        """The block and the bit of an lvalue."""
        try:
            return self.machine.compiler.address(lvalue)(self._scratch)
        except Split:
            offset = self._static_offset(lvalue)
            if offset is None:
                raise Unfit(f"the address of {lvalue} depends on an input") from None
            return 0, offset
        except (NotModelled, Violation):
            offset = self._static_offset(lvalue)
            if offset is None:
                raise Unfit(f"the address of {lvalue} is not modelled") from None
            return 0, offset

    @staticmethod
    def _static_offset(lvalue: Expression) -> int | None:
        bit = 0
        while isinstance(lvalue, Field | Cast):
            if isinstance(lvalue, Field):
                bit += lvalue.offset * 8 + lvalue.bit_offset
            lvalue = lvalue.operand if isinstance(lvalue, Cast) else lvalue.base
        return bit if isinstance(lvalue, Deref | Variable | StringLiteral) else None

    def value(self, expression: Expression) -> Value | None:
        """The value, or None if it depends on inputs or cannot be had."""
        try:
            return self.machine.compiler.value(expression)(self._scratch)
        except (Split, NotModelled, Violation):
            return None

    def offset(self, pointer: Expression) -> int:
        """The offset of a pointer in its block, in bytes; 0 for an unwritten pointer."""
        if isinstance(root_of(pointer), Variable | Deref) and not isinstance(pointer, Cast):
            number, bit = self.address(pointer)
            block = self.state.blocks.get(number)
            try:
                value = block.load(bit, bit_width(pointer)) if block is not None and block.alive else None
            except NotModelled as reason:
                raise Unfit(f"the pointer {pointer}: {reason}") from None
        else:
            value = self.value(pointer)
        if isinstance(value, Pointer):
            return value.offset
        if isinstance(value, int):
            return value
        if value is None or isinstance(value, Undefined):
            return 0
        raise Unfit(f"the pointer {pointer} depends on an input")

    def kind(self, number: int) -> str:
        block = self.state.blocks.get(number)
        return block.kind if block is not None else ""
