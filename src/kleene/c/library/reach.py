"""What unknown code can reach: through its arguments, and through the globals that other files can name.

Unknown code is assumed to be free of errors itself, to leave the standard streams open, and to call functions of the
program only by pointers that it is given. The answers do not regard control flow, so what was kept by one call counts
for all later ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from kleene.c.library.outside import STANDARD
from kleene.c.library.retyped import Retyped, uncast
from kleene.cfa.expressions import (
    AddressOf,
    Constant,
    Expression,
    FunctionAddress,
    StringLiteral,
    Variable,
    root_variable,
    walk,
)
from kleene.cfa.operations import Call, expressions
from kleene.cfa.program import TEXT_PRIMITIVES, CProgram, Global
from kleene.cfa.types import IntegerType, PointerType, RecordType, Type


@dataclass
class Reach:
    """What calls of functions without a body can reach in one program. `statics` are names that no other file has."""

    program: CProgram
    statics: frozenset[str]

    def through(self, argument: Expression) -> str:
        """What an argument lets unknown code change that is more than numbers, in words; empty if nothing."""
        inner = uncast(argument)
        if isinstance(inner, FunctionAddress):
            return f"it may call {inner.name}"
        if isinstance(inner, Constant | StringLiteral) or self.numbers(argument) is not None:
            return ""
        if isinstance(inner, AddressOf) and isinstance(inner.target, StringLiteral):
            return ""
        variable = root_variable(inner.target) if isinstance(inner, AddressOf) else None
        if variable is not None:
            return "" if self._is_constant_text(variable) else f"it may change or keep {variable.name.split('#')[0]}"
        if self._retyped.may_hold_pointers(argument.type):
            if isinstance(argument.type, IntegerType):
                return (
                    f"the number {_words_of(inner)} may be an address, through which it changes, frees or keeps memory"
                )
            return (
                "" if self.is_handle(argument.type) else f"it may change, free or keep what {_words_of(inner)} reaches"
            )
        return ""

    def numbers(self, argument: Expression) -> Variable | None:
        """The variable of numbers only whose address is the argument."""
        inner = uncast(argument)
        variable = root_variable(inner.target) if isinstance(inner, AddressOf) else None
        if variable is None or self._is_constant_text(variable) or self._retyped.may_hold_pointers(variable.type):
            return None
        return variable

    @cached_property
    def shared(self) -> tuple[Global, ...]:
        """The globals that the program uses and other files can name."""
        used = {n for n in self._nodes if isinstance(n, Variable)}
        named = (g for g in self.program.globals if g.variable in used and not g.constant)
        return tuple(g for g in named if g.variable.name not in self.statics)

    @cached_property
    def through_globals(self) -> str:
        """The first global through which unknown code reaches memory of the program, in words."""
        for item in self.shared:
            if item.variable.name in STANDARD:
                continue
            known = not item.external or item.variable.name in self._assigned_names
            if known and self._retyped.may_hold_pointers(item.variable.type) and not self.is_handle(item.variable.type):
                return f"it may change the global {item.variable.name}, which is not static"
        return ""

    @cached_property
    def shared_numbers(self) -> tuple[Variable, ...]:
        """The shared globals that are numbers, or structs and arrays of numbers."""
        return tuple(g.variable for g in self.shared if not self._retyped.holds_pointers(g.variable.type))

    @cached_property
    def _assigned_names(self) -> frozenset[str]:
        targets = (getattr(operation, "target", None) for operation in self.program.operations)
        roots = (root_variable(t) for t in targets if t is not None)
        return frozenset(v.name for v in roots if v is not None)

    @cached_property
    def _nodes(self) -> tuple[Expression, ...]:
        return tuple(n for o in self.program.operations for x in expressions(o) for n in walk(x))

    @cached_property
    def _retyped(self) -> Retyped:
        return Retyped(self.program)

    def is_handle(self, type_: Type) -> bool:
        """Whether a pointer points to a struct of unknown code, such as FILE: the program has no such object."""
        if not isinstance(type_, PointerType) or not isinstance(type_.target, RecordType):
            return False
        return type_.target.name not in self.program.records and not self._retyped.is_converted(type_)

    def _is_constant_text(self, variable: Variable) -> bool:
        item = next((g for g in self.program.globals if g.variable == variable), None)
        return item is not None and item.constant and not self._retyped.holds_pointers(variable.type)


def _words_of(expression: Expression) -> str:
    text = str(expression)
    return "its argument" if "$" in text else text.split("#")[0]


def calls_without_body(program: CProgram) -> Iterator[tuple[str, Call]]:
    """The calls of functions that have no body, with the functions that contain them."""
    known = program.functions.keys() | TEXT_PRIMITIVES
    for function in program.functions.values():
        for edge in function.cfa.edges:
            call = edge.label
            if isinstance(call, Call) and isinstance(call.function, str) and call.function not in known:
                yield function.name, call
