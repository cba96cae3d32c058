"""Pointers that a client gets, and the statements by which it hands them on: one to a freed block is an error.

A client may use what it gets: a result, the members of a struct that is returned or filled, what a function stores for
its caller, and the variables that the library exports. They may be NULL, the end of an array, data of the client or
not set, so that the client reads none of them. It only asks whether their blocks still exist.
"""

from __future__ import annotations

from kleene.analysis.c.library.interface.exports import Interface
from kleene.cfa.types import ArrayType, FunctionType, PointerType, RecordType, Type

HAND_OUT = "__kleene_hand_out"
"""The function by which a client says that it may use a pointer from now on."""
_FEW_ELEMENTS = 4
"""Elements of an array that are handed out one by one; of a longer array, any one is."""
DECLARATION = f"void {HAND_OUT}(const volatile void *);"


def hand_out(value: str, type_: Type, interface: Interface) -> str:
    """The statements for all pointers in a value; empty if it has none. (Nothing says what is set of a union.)"""
    match type_:
        case PointerType(target=target):
            return "" if isinstance(target, FunctionType) else f"{HAND_OUT}({value});"
        case ArrayType(element=element, count=count) if count <= _FEW_ELEMENTS:
            return " ".join(filter(None, (hand_out(f"{value}[{i}]", element, interface) for i in range(count))))
        case ArrayType(element=element, count=count):
            index = f"i{value.count('[')}"
            inner = hand_out(f"{value}[{index}]", element, interface)
            declared = f"long {index} = __VERIFIER_nondet_long();"
            return f"{{ {declared} if ({index} >= 0 && {index} < {count}) {{ {inner} }} }}" if inner else ""
        case RecordType(name=name) if name in interface.records and not interface.records[name].union:
            members = ((f"{value}.{m.name}" if m.name else value, m.type) for m in interface.records[name].fields)
            return " ".join(filter(None, (hand_out(member, own, interface) for member, own in members)))
    return ""


def hand_out_members(pointer: str, record: str, interface: Interface) -> str:
    """The statements for all pointers in the struct to which a pointer leads."""
    layout = interface.records.get(record)
    return hand_out(f"(*{pointer})", layout.type, interface) if layout is not None else ""


def exported_cases(interface: Interface, first: int) -> list[str]:
    """The cases of a client's loop in which it uses the variables that the library exports; their numbers go down."""
    statements = [hand_out(name, type_, interface) for name, type_ in interface.variables.items()]
    return [f"        case {first - i}: {{ {text} break; }}" for i, text in enumerate(filter(None, statements))]
