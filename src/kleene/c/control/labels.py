"""Addresses of labels, `&&label`, and jumps to them, `goto *pointer` (GNU C, Labels as Values).

A label whose address is taken has an object without bytes, which stands for its address. A jump compares the pointer
with the labels of its function; other pointers are not followed.
"""

from __future__ import annotations

from typing import Any

from kleene.c.clang import kind
from kleene.c.lowering import LoweringContext, UnsupportedConstruct
from kleene.cfa.expressions import AddressOf, Comparison, Expression, Variable
from kleene.cfa.program import Global
from kleene.cfa.types import CHAR, ArrayType, Type

ADDRESS = "ADDR_LABEL_EXPR"
"""The kind of expressions `&&label` in libclang."""
_LABEL = ArrayType(CHAR, 0)


def label_address(lower: LoweringContext, cursor: Any, type_: Type) -> Expression:
    """`&&label`."""
    label = next(iter(cursor.get_children())).referenced
    place = lower.place(label)
    name = f"label {label.spelling} at line {place.line}"
    variable = Variable(f"{name} of {place.file}", _LABEL, is_global=True)
    lower.unit.linkage.globals.setdefault(variable.name, Global(variable, constant=True))
    return AddressOf(variable, type_)


def is_label(pointer: Expression) -> bool:
    """Whether an expression is the address of a label."""
    return isinstance(pointer, AddressOf) and pointer.target.type == _LABEL


def computed_goto(lower: LoweringContext, cursor: Any) -> None:
    """`goto *pointer`: to the label of the function whose address the pointer is."""
    target = next(iter(cursor.get_children()))
    pointer = lower.as_temporary(cursor, lower.values.value(target))
    taken = (part for part in lower.body.walk_preorder() if kind(part) == ADDRESS)
    labels = {next(iter(part.get_children())).spelling: part for part in taken}
    builder, place = lower.builder, lower.place(cursor)
    for name, part in labels.items():
        yes, no = builder.new(), builder.new()
        address = label_address(lower, part, pointer.type)
        lower.effects.branch_on(cursor, Comparison("==", pointer, address), yes, no)
        builder.here = yes
        builder.goto(name, place)
        builder.here = no
    raise UnsupportedConstruct("goto to something else than a label of its function", cursor)
