"""Objects that are only bytes: vectors, complex numbers and other types without operations in our automata.

They have their size, are copied as structs are, and can be accessed by pointers to their parts. Operations on their
values are not supported.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from kleene.cfa.expressions import Binary, Cast, Comparison, Constant, Expression, FloatConstant, Unary, children, walk
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Operation, Unsupported, expressions
from kleene.cfa.types import RecordType, Type

_MARK = "<"
"""How the names of these types begin; those of other structs begin with a word."""


def opaque_name(spelling: str) -> str:
    """The name of the struct that stands for a type."""
    return f"{_MARK}{spelling}>"


def spelling_of(type_: Type) -> str:
    """A type as the source has it."""
    return str(type_).strip("<>")


def with_unsupported_operations(cfa: Cfa[Operation]) -> Cfa[Operation]:
    """The automaton whose operations on values of these types are not supported."""
    return Cfa(cfa.entry, tuple(replace(edge, label=_supported(edge.label)) for edge in cfa.edges))


def computes(operations: Iterable[Operation]) -> bool:
    """Whether an operation computes with a value of such a type, which is more than to copy it."""
    return any(_type_of(operation) is not None for operation in operations)


def _supported(operation: Operation) -> Operation:
    type_ = _type_of(operation)
    if type_ is None:
        return operation
    return Unsupported(operation.place, f"an operation on a value of type {spelling_of(type_)}")


def _type_of(operation: Operation) -> Type | None:
    nodes = (node for expression in expressions(operation) for node in walk(expression))
    return next((type_ for node in nodes for type_ in _computed(node) if _is_opaque(type_)), None)


def _computed(node: Expression) -> list[Type]:
    """The types of the values that an expression computes with."""
    if isinstance(node, Constant | FloatConstant):
        return [node.type]
    if isinstance(node, Unary | Binary | Comparison | Cast):
        return [node.type, *(part.type for part in children(node))]
    return []


def _is_opaque(type_: Type) -> bool:
    return isinstance(type_, RecordType) and type_.name.startswith(_MARK)
