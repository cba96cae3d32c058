"""The labels of a C control-flow automaton. Each operation is atomic, has a source place and prints like C.

A location has either one edge, or two `Assume` edges on one condition (one for each truth value). `Return`, `Exit`
and `Error` edges lead to the exit location of their function.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, Union

from kleene.cfa.expressions import (
    EXPRESSION_KINDS,
    AddressOf,
    Expression,
    Variable,
    has_dereference,
    map_variables,
    root_variable,
    walk,
)
from kleene.cfa.types import RecordType, Type


@dataclass(frozen=True, slots=True)
class Place:
    """The source position of an operation."""

    file: str
    line: int
    column: int
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Skip:
    """Nothing happens (an empty endless loop has one)."""

    place: Place = field(compare=False)

    def __str__(self) -> str:
        return "skip"


@dataclass(frozen=True, slots=True)
class Assign:
    """`target = value`; also of whole structs. The types agree."""

    place: Place = field(compare=False)
    target: Expression
    value: Expression

    def __str__(self) -> str:
        return f"{self.target} = {self.value}"


@dataclass(frozen=True, slots=True)
class Assume:
    """Passes only if the truth value of the condition (not zero) is `truth`."""

    place: Place = field(compare=False)
    condition: Expression
    truth: bool = True

    def __str__(self) -> str:
        return f"[{self.condition}]" if self.truth else f"[!({self.condition})]"


@dataclass(frozen=True, slots=True)
class Allocate:
    """`malloc`, `calloc` (`zeroed`), `alloca` (`stack`: freed when the function returns).

    A block that is `stack` and `scoped` ends by a `Free` of the same kind: an array of variable length, at each end of
    its scope, or a stream. The size is in bytes. `element` is the target type of the pointer that receives the result,
    if known.
    """

    place: Place = field(compare=False)
    target: Expression
    size: Expression
    element: Type | None = None
    zeroed: bool = False
    may_fail: bool = True
    stack: bool = False
    scoped: bool = False

    def __str__(self) -> str:
        name = "alloca" if self.stack else "calloc" if self.zeroed else "malloc"
        return f"{self.target} = {name}({'1, ' if self.zeroed else ''}{self.size})"


@dataclass(frozen=True, slots=True)
class Realloc:
    """`target = realloc(pointer, size)`: on failure NULL, and the old block stays."""

    place: Place = field(compare=False)
    target: Expression
    pointer: Expression
    size: Expression
    may_fail: bool = True

    def __str__(self) -> str:
        return f"{self.target} = realloc({self.pointer}, {self.size})"


@dataclass(frozen=True, slots=True)
class Free:
    """`free(pointer)`; with `stack`, the end of a block that a stack allocation made: the program does not free it."""

    place: Place = field(compare=False)
    pointer: Expression
    stack: bool = False

    def __str__(self) -> str:
        return f"end of *{self.pointer}" if self.stack else f"free({self.pointer})"


@dataclass(frozen=True, slots=True)
class MemSet:
    """`memset(pointer, value, size)`."""

    place: Place = field(compare=False)
    pointer: Expression
    value: Expression
    size: Expression

    def __str__(self) -> str:
        return f"memset({self.pointer}, {self.value}, {self.size})"


@dataclass(frozen=True, slots=True)
class MemCopy:
    """`memcpy(destination, source, size)`, or `memmove` when they may overlap."""

    place: Place = field(compare=False)
    destination: Expression
    source: Expression
    size: Expression
    overlapping: bool = False

    def __str__(self) -> str:
        name = "memmove" if self.overlapping else "memcpy"
        return f"{name}({self.destination}, {self.source}, {self.size})"


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function of the program by name, or through a pointer; `result` gets the result."""

    place: Place = field(compare=False)
    function: str | Expression
    arguments: tuple[Expression, ...]
    result: Expression | None = None

    def __str__(self) -> str:
        name = self.function if isinstance(self.function, str) else f"(*{self.function})"
        call = f"{name}({', '.join(map(str, self.arguments))})"
        return f"{self.result} = {call}" if self.result is not None else call


@dataclass(frozen=True, slots=True)
class Return:
    """Leaves the function, with a value or without."""

    place: Place = field(compare=False)
    value: Expression | None = None

    def __str__(self) -> str:
        return "return" if self.value is None else f"return {self.value}"


@dataclass(frozen=True, slots=True)
class Invoke:
    """A call of a function whose body is analysed apart: its parameters get the arguments, `target` the result.

    Arguments, parameters and results are variables of the two functions; see `passes/calls/recursive_functions.py`.
    """

    place: Place = field(compare=False)
    function: str
    arguments: tuple[Variable, ...]
    parameters: tuple[Variable, ...]
    target: Variable | None = None
    returned: Variable | None = None

    @property
    def assignments(self) -> tuple[Assign, ...]:
        """The assignments of the call itself, without the effects of the body."""
        pairs = list(zip(self.parameters, self.arguments, strict=True))
        if self.target is not None and self.returned is not None:
            pairs.append((self.target, self.returned))
        return tuple(Assign(self.place, target, value) for target, value in pairs)

    def __str__(self) -> str:
        call = f"{self.function}({', '.join(map(str, self.arguments))})"
        return f"{self.target} = {call}" if self.target is not None else call


@dataclass(frozen=True, slots=True)
class Enter:
    """A function that is analysed apart begins: its parameters have their values."""

    place: Place = field(compare=False)
    function: str
    parameters: tuple[Variable, ...]

    def __str__(self) -> str:
        return f"enter {self.function}({', '.join(map(str, self.parameters))})"


@dataclass(frozen=True, slots=True)
class Leave:
    """A function that is analysed apart ends, with a result or without."""

    place: Place = field(compare=False)
    function: str
    result: Variable | None = None

    def __str__(self) -> str:
        return f"leave {self.function}"


@dataclass(frozen=True, slots=True)
class Error:
    """An error call is reached: `kind` is `unreach_call` or `assertion`."""

    place: Place = field(compare=False)
    kind: str
    message: str = ""

    def __str__(self) -> str:
        return f"error {self.kind}" + (f": {self.message}" if self.message else "")


@dataclass(frozen=True, slots=True)
class Exit:
    """The program ends here: `exit(status)`, or `abort()` when the status is None."""

    place: Place = field(compare=False)
    status: Expression | None = None

    def __str__(self) -> str:
        return "abort()" if self.status is None else f"exit({self.status})"


@dataclass(frozen=True, slots=True)
class DeclareLocal:
    """A local variable begins to live, with no value yet."""

    place: Place = field(compare=False)
    variable: Variable

    def __str__(self) -> str:
        return f"declare {self.variable.type} {self.variable}"


@dataclass(frozen=True, slots=True)
class EndScope:
    """Local variables end to live; pointers to them dangle from here on."""

    place: Place = field(compare=False)
    variables: tuple[Variable, ...]

    def __str__(self) -> str:
        return f"end {', '.join(map(str, self.variables))}"


@dataclass(frozen=True, slots=True)
class Havoc:
    """`target` gets some value of its type; `source` is the function that gave it."""

    place: Place = field(compare=False)
    target: Expression
    source: str = "nondet"

    def __str__(self) -> str:
        return f"{self.target} = {self.source}" + ("()" if self.source.isidentifier() else "")


LINE_LENGTH, BYTES_LEFT = "length of a line that is read", "number of bytes that are left to read"
WORD_LENGTH, READ_COUNT = "length of a word that is read", "number of conversions of scanf"
READ_BYTE, READ_OR_END, READ_NUMBER = "byte that is read", "byte that is read, or -1 at the end", "number that is read"
READ_SOURCES = frozenset((LINE_LENGTH, BYTES_LEFT, WORD_LENGTH, READ_BYTE, READ_OR_END, READ_NUMBER, READ_COUNT))
"""The sources of what library functions read from streams; lengths and counts are any numbers, and cut if too large."""
OUTSIDE_LENGTH = "length of a text of the system"
"""The source of the length of a text such as a variable of the environment."""
FORMAT_LENGTH, FORMAT_BYTE = "length of a formatted text", "byte of a formatted text"
"""The sources of texts that are given by a format that is not followed."""
NATURAL_SOURCES = frozenset(("lrand48", "rand", "random"))
"""Functions of the library that give any number that is not less than 0."""
CHOICE = "a choice of the analysis"
"""The source of numbers that no run of the program reads, such as which slot stands for an element."""


@dataclass(frozen=True, slots=True)
class Print:
    """Formatted output; changes nothing. Its arguments are evaluated, `texts` among them read to their end."""

    place: Place = field(compare=False)
    format: str | None
    arguments: tuple[Expression, ...] = ()
    texts: tuple[Expression, ...] = ()

    def __str__(self) -> str:
        shown = "..." if self.format is None else repr(self.format)[1:-1]
        return f'print("{shown}"' + "".join(f", {a}" for a in self.arguments) + ")"


@dataclass(frozen=True, slots=True)
class HandOut:
    """A caller gets `pointer` and may use it: an error if its block was freed or has ended. Changes nothing."""

    place: Place = field(compare=False)
    pointer: Expression

    def __str__(self) -> str:
        return f"hand out {self.pointer}"


@dataclass(frozen=True, slots=True)
class Specified:
    """The contract of a function on the heap, in formulas (`semantics/contracts/specifications.py`).

    `role` is `given` (the targets get any heap that satisfies `requires`), `requires` or `ensures` (checks it), or
    `changes` (a call: heap and targets get any values that satisfy `ensures`). Blocks have the types `records`.
    """

    place: Place = field(compare=False)
    role: str
    content: Hashable
    arguments: tuple[Variable, ...]
    targets: tuple[Variable, ...] = ()
    records: tuple[RecordType, ...] = ()

    def __str__(self) -> str:
        return f"{self.role}: {self.content}"


GhostCube = tuple[tuple[int, int], ...]
"""Ghosts of one object by their offsets, with their values."""


@dataclass(frozen=True, slots=True)
class GhostChange:
    """A ghost of all objects, by its offset: 1 where one of the cubes `true` holds, 0 by `false`, else any of both."""

    offset: int
    true: tuple[GhostCube, ...]
    false: tuple[GhostCube, ...]


@dataclass(frozen=True, slots=True)
class ChangeGhosts:
    """Ghosts of all objects change at once: a variable that their conditions are about gets a new value."""

    place: Place = field(compare=False)
    changes: tuple[GhostChange, ...]

    def __str__(self) -> str:
        return f"ghosts {', '.join(str(change.offset) for change in self.changes)} of all objects change"


@dataclass(frozen=True, slots=True)
class Unsupported:
    """An unsupported operation: any path through it is unknown."""

    place: Place = field(compare=False)
    reason: str

    def __str__(self) -> str:
        return f"unsupported: {self.reason}"


Operation = Union[  # noqa: UP007 (a list of classes, one to a line)
    Skip,
    Assign,
    Assume,
    Allocate,
    Realloc,
    Free,
    MemSet,
    MemCopy,
    Call,
    Return,
    Invoke,
    Enter,
    Leave,
    Error,
    Exit,
    DeclareLocal,
    EndScope,
    Havoc,
    Print,
    HandOut,
    Specified,
    ChangeGhosts,
    Unsupported,
]


def expressions(operation: Operation) -> tuple[Expression, ...]:
    """The expressions in an operation, in the order of its attributes; targets included."""
    result: list[Expression] = []
    for name in _attributes(type(operation)):  # type: ignore[arg-type]
        value = getattr(operation, name)
        for part in value if isinstance(value, tuple) else (value,):
            if type(part) in _EXPRESSIONS:
                result.append(part)
    return tuple(result)


def evaluations(place: Place, values: Iterable[Expression]) -> list[Operation]:
    """What evaluates values that nothing uses: their accesses to memory may still be errors."""
    return [Print(place, None, (value,)) for value in values if has_dereference(value)]


def address_taken(operations: Iterable[Operation]) -> frozenset[Variable]:
    """The variables whose address (or a member's address) some expression takes."""
    nodes = (n for operation in operations for expression in expressions(operation) for n in walk(expression))
    roots = (root_variable(node.target) for node in nodes if isinstance(node, AddressOf))
    return frozenset(root for root in roots if root is not None)


_EXPRESSIONS = frozenset(EXPRESSION_KINDS)


@cache
def _attributes(kind: type) -> tuple[str, ...]:
    return tuple(attribute.name for attribute in fields(kind))


def rename_variables(operation: Operation, rename: dict[Variable, Variable]) -> Operation:
    """The operation with variables replaced, for inlining."""
    changes: dict[str, Any] = {}
    for attribute in fields(operation):
        value = getattr(operation, attribute.name)
        new = _rename(value, rename)
        if new is not value:
            changes[attribute.name] = new
    return replace(operation, **changes) if changes else operation


def _rename(value: object, rename: dict[Variable, Variable]) -> object:
    if isinstance(value, tuple):
        parts = tuple(_rename(part, rename) for part in value)
        return parts if any(a is not b for a, b in zip(parts, value, strict=True)) else value
    if isinstance(value, EXPRESSION_KINDS):
        return map_variables(value, rename)
    return value
