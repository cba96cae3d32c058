"""A C program as control-flow automata: functions, globals with their initial values, record layouts."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from kleene.cfa.expressions import FunctionAddress, Variable, walk
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Assign, Call, Operation, Place, Unsupported, expressions
from kleene.cfa.types import FunctionType, RecordLayout


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
    library: str = field(default="", compare=False)
    """The file with our bodies of library functions: what happens there is shown at the call."""

    @property
    def main(self) -> Function:
        return self.functions[self.entry]

    @property
    def pointer_size(self) -> int:
        return 8 if self.data_model == "LP64" else 4

    @cached_property
    def address_taken(self) -> tuple[FunctionAddress, ...]:
        """The functions whose address the program takes, by name: the possible values of function pointers."""
        found: dict[str, FunctionAddress] = {}
        operations: list[Operation] = [a for g in self.globals for a in g.initial]
        operations += [e.label for f in self.functions.values() for e in f.cfa.edges]
        for operation in operations:
            for expression in expressions(operation):
                for node in walk(expression):
                    if isinstance(node, FunctionAddress):
                        found.setdefault(node.name, node)
        return tuple(found[name] for name in sorted(found))

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
        """The functions that a call may reach; through a pointer, those with the same number of parameters."""
        if isinstance(call.function, str):
            return (call.function,)
        count = len(call.arguments)
        return tuple(a.name for a in self.address_taken if _accepts(self.functions.get(a.name), count))

    @cached_property
    def reachable_functions(self) -> tuple[str, ...]:
        """The functions that the entry may call, itself first, in order of discovery."""
        found = {self.entry: None}
        stack = [self.entry]
        while stack:
            for name in self.call_graph[stack.pop()]:
                if name not in found:
                    found[name] = None
                    stack.append(name)
        return tuple(found)

    @cached_property
    def recursive_functions(self) -> frozenset[str]:
        """The functions that may call themselves, directly or not."""
        recursive = set()
        for name in self.functions:
            seen: set[str] = set()
            stack = list(self.call_graph[name])
            while stack:
                callee = stack.pop()
                if callee not in seen:
                    seen.add(callee)
                    stack.extend(self.call_graph[callee])
            if name in seen:
                recursive.add(name)
        return frozenset(recursive)

    def unsupported(self) -> list[Unsupported]:
        """Everything in reachable functions that is not modelled, in source order of the functions."""
        edges = (e for name in self.reachable_functions for e in self.functions[name].cfa.edges)
        return [e.label for e in edges if isinstance(e.label, Unsupported)]

    def __str__(self) -> str:
        parts = [str(layout) for layout in self.records.values()]
        parts += [str(g) for g in self.globals]
        parts += [str(f) for f in self.functions.values()]
        return "\n".join(parts)


def _accepts(function: Function | None, count: int) -> bool:
    if function is None:
        return True
    fixed = len(function.parameters)
    return count == fixed or (function.type.variadic and count >= fixed)
