"""A C program as control-flow automata: functions, globals with their initial values, record layouts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from kleene.cfa.expressions import (
    Cast,
    Constant,
    Expression,
    Field,
    FunctionAddress,
    Index,
    Variable,
    walk,
    without_casts,
)
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Assign, Call, Operation, Place, Unsupported, expressions
from kleene.cfa.types import ArrayType, FunctionType, PointerType, RecordLayout, RecordType, Type, VoidType

_Path = tuple[Variable | int | None, ...]
"""A part of a variable: the variable, then offsets and indices; None is an index that is not known."""
LONG_POINTER_BYTES = 8
"""Bytes of a pointer where addresses have 64 bits."""
LARGEST_BLOCK = 1 << 47
"""Bytes of a block at most where addresses have 64 bits: the address space of a process (docs/assumptions.md)."""
LARGEST_BLOCK_32 = (1 << 31) - 1
"""Bytes of a block at most where addresses have 32 bits: differences of pointers are to fit."""


@dataclass(frozen=True)
class Function:
    """A function with a body. All its variables, temporaries too, are in `locals` (without the parameters)."""

    name: str
    type: FunctionType
    parameters: tuple[Variable, ...]
    locals: tuple[Variable, ...]
    cfa: Cfa[Operation]
    exit: str
    place: Place

    def __str__(self) -> str:
        parameters = ", ".join(f"{p.type} {p}" for p in self.parameters)
        lines = [f"{self.type.result} {self.name}({parameters or 'void'})  entry {self.cfa.entry}, exit {self.exit}"]
        lines += [f"  {e.source} -> {e.target}: {e.label}" for e in self.cfa.edges]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Global:
    """A global or static variable: all zero, then the assignments of its initialiser in order.

    `external` marks one that is declared only: its value is not known.
    """

    variable: Variable
    initial: tuple[Assign, ...] = ()
    external: bool = False
    constant: bool = False

    def __str__(self) -> str:
        text = f"{'extern ' if self.external else ''}{self.variable.type} {self.variable}"
        return "\n".join([text, *(f"  {a}" for a in self.initial)])


@dataclass(frozen=True, slots=True)
class Assumption:
    """What is assumed of code that is not there: a function or a variable by name, its model, and this in words.

    `given` tells a model that the user has chosen from one that we chose.
    """

    name: str
    model: str
    text: str
    given: bool = False

    def __str__(self) -> str:
        return self.text


TEXT_LENGTH, TEXT_PREFIX, TEXT_WRITE = "__kleene_text_length", "__kleene_text_prefix", "__kleene_text_write"
BYTES_WRITE, BYTES_READ = "__kleene_bytes_write", "__kleene_bytes_read"
TEXT_PUT, TEXT_PUT_END, TEXT_DIGITS = "__kleene_text_put", "__kleene_text_put_end", "__kleene_text_digits"
TEXT_PRIMITIVES = frozenset(
    (TEXT_LENGTH, TEXT_PREFIX, TEXT_WRITE, BYTES_WRITE, BYTES_READ, TEXT_PUT, TEXT_PUT_END, TEXT_DIGITS)
)
"""The functions without a body that summaries call (`c/headers/kleene_text.c`): operations of the analyses."""
SUMMARY = "__summary_"
"""How the name of a function begins that describes a library function to the analyses, without loops."""


@dataclass(frozen=True, slots=True)
class Sentinel:
    """The node in which structures end in place of NULL: NULL stands for its address (`passes/pointers/sentinels`).

    So it is for pointers to the types `targets` only.
    """

    place: Expression
    """A variable, or a member of one."""
    targets: frozenset[Type]

    def is_exchanged(self, type_: Type) -> bool:
        """Whether NULL of a type stands for the address."""
        return isinstance(type_, PointerType) and type_.target in self.targets


@dataclass(frozen=True)
class CProgram:
    """A whole program. `functions` has the defined functions, including those that the entry cannot reach."""

    files: tuple[str, ...]
    functions: dict[str, Function]
    globals: tuple[Global, ...]
    records: dict[str, RecordLayout]
    entry: str
    data_model: str
    headers: tuple[str, ...] = field(default=(), compare=False)
    """The files that the others include, without the headers of the standard library."""
    library: frozenset[str] = field(default=frozenset(), compare=False)
    """The files with our bodies of library functions: what happens there is shown at the call."""
    assumptions: tuple[Assumption, ...] = field(default=(), compare=False)
    """What is assumed of functions without a body and of variables without a definition."""
    passed_on: Mapping[str, tuple[Expression, ...]] = field(default_factory=dict, compare=False)
    """The pointers that unknown code is given, by the location of its call: it may keep or free what they reach."""
    outside_calls: Mapping[str, str] = field(default_factory=dict, compare=False)
    """The functions of unknown code that are called, by the location behind the call."""
    apart: frozenset[str] = frozenset()
    """The functions that are analysed apart though they could be inlined (`passes/facts/calls.py`)."""
    by_choices: bool = False
    """Whether locations know which element of an array is meant (`passes/attempts/choices.py`)."""
    by_members: bool = False
    """Whether the members of a struct of which there is one are variables (`passes/elements/owners.py`)."""
    sentinel: Sentinel | None = None
    """The node that NULL stands for, if it is not NULL."""
    stages: tuple[CProgram, ...] = field(default=(), compare=False, repr=False)
    """The program before members, and before and after elements became variables; of one prepared without choices."""

    @property
    def main(self) -> Function:
        return self.functions[self.entry]

    @property
    def pointer_size(self) -> int:
        return 8 if self.data_model == "LP64" else 4

    @property
    def largest_block(self) -> int:
        """Bytes of a block at most: `malloc` of more gives NULL."""
        return LARGEST_BLOCK if self.pointer_size == LONG_POINTER_BYTES else LARGEST_BLOCK_32

    @cached_property
    def address_taken(self) -> tuple[FunctionAddress, ...]:
        """The functions whose address the program takes, by name: the possible values of function pointers."""
        addresses: dict[str, FunctionAddress] = {}
        for operation in self.operations:
            for expression in expressions(operation):
                for node in walk(expression):
                    if isinstance(node, FunctionAddress):
                        addresses.setdefault(node.name, node)
        return tuple(addresses[name] for name in sorted(addresses))

    @cached_property
    def call_graph(self) -> dict[str, tuple[str, ...]]:
        """The functions that each function may call, through pointers too; only those with a body."""
        graph: dict[str, tuple[str, ...]] = {}
        for function in self.functions.values():
            callees: dict[str, None] = {}
            for edge in function.cfa.edges:
                if isinstance(edge.label, Call):
                    callees.update(dict.fromkeys(self.targets(edge.label)))
            graph[function.name] = tuple(name for name in callees if name in self.functions)
        return graph

    def targets(self, call: Call) -> tuple[str, ...]:
        """The functions that a call may reach; through a pointer, those whose parameters fit.

        A function whose address was converted to another type may get more arguments than it has parameters. A constant
        table of functions has the functions of its initial value.
        """
        if isinstance(call.function, str):
            return (call.function,)
        path = _path(call.function)
        known = [name for own, name in self._constant_functions.items() if path is not None and _may_be(own, path)]
        if known:
            return tuple(dict.fromkeys(known))
        names = (a.name for a in self.address_taken)
        return tuple(
            n for n in names if _accepts(self.functions.get(n), call, converted=n in self._converted_functions)
        )

    @cached_property
    def _constant_functions(self) -> dict[_Path, str]:
        """The functions to which constants, their members and their elements point."""
        initial = [a for g in self.globals if g.constant and not g.external for a in g.initial]
        values = [(_path(a.target), without_casts(a.value)) for a in initial]
        return {path: value.name for path, value in values if path is not None and isinstance(value, FunctionAddress)}

    @cached_property
    def _converted_functions(self) -> frozenset[str]:
        """The functions whose address is used as a pointer of another type."""
        nodes = [n for o in self.operations for x in expressions(o) for n in walk(x)]
        names = {n.name for n in nodes if isinstance(n, FunctionAddress) and not self._has_own_type(n)}
        for node in nodes:
            source = _function_type(node.operand.type) if isinstance(node, Cast) else None
            target = _function_type(node.type)
            if source is not None and (target is None or _signature(source) != _signature(target)):
                names |= {n for n, f in self.functions.items() if _signature(_own_type(f)) == _signature(source)}
        return frozenset(names)

    def _has_own_type(self, address: FunctionAddress) -> bool:
        function = self.functions.get(address.name)
        target = _function_type(address.type)
        if function is None or target is None:
            return function is None
        return _signature(target) == _signature(_own_type(function))

    @property
    def initial_values(self) -> list[Assign]:
        """What initialises the global variables, in order."""
        return [assignment for item in self.globals for assignment in item.initial]

    @cached_property
    def operations(self) -> list[Operation]:
        """All operations: those that initialise globals, then those of the functions."""
        operations: list[Operation] = list(self.initial_values)
        return operations + [e.label for f in self.functions.values() for e in f.cfa.edges]

    def without_definition(self, cfa: Cfa[Operation]) -> dict[Variable, str]:
        """The variables of other files that an automaton uses, and what to do about each."""
        advice = "is declared, and no file defines it; add the file that does, or define it with --models FILE.c"
        return {v: f"the variable {v} {advice}" for v in self.externals_in(cfa)}

    def externals_in(self, cfa: Cfa[Operation]) -> list[Variable]:
        """The variables of other files that an automaton uses: by name, or by the initial value of one that it uses."""
        used: set[Variable] = set()
        waiting = [x for e in cfa.edges for x in expressions(e.label)]
        initial = {g.variable: [x for a in g.initial for x in expressions(a)] for g in self.globals}
        while waiting:
            for node in walk(waiting.pop()):
                if isinstance(node, Variable) and node not in used:
                    used.add(node)
                    waiting += initial.get(node, ())
        return [g.variable for g in self.globals if g.external and g.variable in used]

    @cached_property
    def reachable_functions(self) -> tuple[str, ...]:
        """The functions that the entry may call, itself first, in order of discovery."""
        return self.reached_from(self.entry)

    def reached_from(self, function: str) -> tuple[str, ...]:
        """A function and those that it may call, directly or through others, in order of discovery."""
        reached = {function: None}
        stack = [function]
        while stack:
            for name in self.call_graph.get(stack.pop(), ()):
                if name not in reached:
                    reached[name] = None
                    stack.append(name)
        return tuple(reached)

    @cached_property
    def recursive_functions(self) -> frozenset[str]:
        """The functions that may call themselves, directly or not."""
        graph = self.call_graph
        return frozenset(f for f in self.functions if any(f in graph[callee] for callee in self.reached_from(f)))

    def unsupported_operations(self) -> list[Unsupported]:
        """Everything in reachable functions that is not modelled, in source order of the functions."""
        edges = (e for name in self.reachable_functions for e in self.functions[name].cfa.edges)
        return [e.label for e in edges if isinstance(e.label, Unsupported)]

    def __str__(self) -> str:
        parts = [str(layout) for layout in self.records.values()]
        parts += [str(g) for g in self.globals]
        parts += [str(f) for f in self.functions.values()]
        return "\n".join(parts)


def _path(place: Expression) -> _Path | None:
    """A variable with the offsets and indices that lead to a part of it; None if it is reached by a pointer."""
    match place:
        case Variable():
            return (place,)
        case Field(base=base, offset=offset):
            path = _path(base)
            return (*path, offset) if path is not None else None
        case Index(base=base, index=index):
            path, number = _path(base), without_casts(index)
            known = number.value if isinstance(number, Constant) else None
            return (*path, known) if path is not None else None
    return None


def _may_be(own: _Path, path: _Path) -> bool:
    """Whether a path without unknown indices is one of those that another one stands for."""
    return len(own) == len(path) and all(b is None or a == b for a, b in zip(own, path, strict=True))


def _accepts(function: Function | None, call: Call, *, converted: bool) -> bool:
    """Whether a call through a pointer may be one of the function, by its arguments and its result."""
    if function is None:
        return True
    if call.result is not None and not _gives(function.type.result, call.result.type):
        return False
    fixed, count = len(function.parameters), len(call.arguments)
    if converted or function.type.variadic:
        return count >= fixed
    pointer = None if isinstance(call.function, str) else _function_type(call.function.type)
    if pointer is not None and _kinds([pointer.result]) != _kinds([function.type.result]):
        return False
    arguments = _kinds(a.type for a in call.arguments)
    return arguments == _kinds(p.type for p in function.parameters)


def _gives(result: Type, wanted: Type) -> bool:
    """Whether a function with this result can give a value that is used; else the call is undefined (C17, 6.5.2.2)."""
    return not isinstance(result, VoidType) and isinstance(result, RecordType) == isinstance(wanted, RecordType)


def _function_type(type_: Type) -> FunctionType | None:
    """The type of the functions that a pointer points to."""
    target = type_.target if isinstance(type_, PointerType) else type_
    return target if isinstance(target, FunctionType) else None


def _own_type(function: Function) -> FunctionType:
    """The type of a function with the parameters of its definition: an old-style declaration names none."""
    return replace(function.type, parameters=tuple(p.type for p in function.parameters))


def _signature(type_: FunctionType) -> tuple[list[type], list[type]]:
    return _kinds([type_.result]), _kinds(type_.parameters)


def _kinds(types: Iterable[Type]) -> list[type]:
    """The kinds of values: numbers, pointers and structs are passed differently."""
    return [PointerType if isinstance(t, ArrayType | FunctionType) else type(t) for t in types]
