"""Functions that run before the entry and at the exit: constructors, destructors, and those that `atexit` registers.

Calls of them are put into the automata (C17, 7.22.4.2 and 7.22.4.4; GNU attributes). `exit`, and a return from the
entry, call the registered functions, the last one first, and then the destructors. The registered functions are kept by
`atexit` in the library, so that the analyses follow them as any function pointers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kleene.cfa.expressions import Variable
from kleene.cfa.graph import Cfa, Edge, chain
from kleene.cfa.operations import Assign, Call, DeclareLocal, EndScope, Operation, Return, Unsupported, address_taken
from kleene.cfa.program import CProgram, Function, Global
from kleene.cfa.types import PointerType, RecordType

MAIN = "main"
"""The entry of a program."""
RUN_HANDLERS = "__kleene_run_handlers"
"""The function of our library that calls what `atexit` registered."""
_LATEST = 65535
"""The priority of constructors and destructors without one: a number below it runs earlier, or ends later."""


@dataclass
class StartAndEnd:
    """The functions that a program runs before its entry and at its exit, in the order of their declarations."""

    constructors: dict[str, int] = field(default_factory=dict)
    """With their priorities."""
    destructors: dict[str, int] = field(default_factory=dict)
    tables: tuple[str, ...] = ()
    """The variables in sections of functions that the loader runs; what it does with them is not followed."""
    handlers: bool = False
    """Whether some file may call `atexit`."""

    def add(self, attribute: str, name: str, priority: str) -> None:
        """Note a function with the attribute `constructor` or `destructor`, and with a priority, if it has one."""
        known = self.constructors if attribute == "constructor" else self.destructors
        known[name] = int(priority) if priority else _LATEST

    @property
    def at_exit(self) -> bool:
        """Whether an exit runs functions."""
        return self.handlers or bool(self.destructors)


def with_start_and_end(program: CProgram, runs: StartAndEnd) -> CProgram:
    """The program whose entry begins with the constructors; every exit calls handlers and destructors."""
    starts = sorted(runs.constructors, key=lambda name: runs.constructors[name])
    ends = sorted(runs.destructors, key=lambda name: runs.destructors[name])[::-1]
    if not starts and not runs.at_exit and not runs.tables:
        return program
    functions = {name: _with_destructors(f, ends) for name, f in program.functions.items()}
    main = functions[program.entry]
    if runs.at_exit:
        main = _with_end(main, ends)
    functions[program.entry] = _with_constructors(main, starts, runs.tables)
    return replace(program, functions=functions)


def with_returned_pointer(program: CProgram) -> CProgram:
    """The program in which a pointer that the entry returns is kept: its caller has it, so its block is not lost."""
    entry = program.main
    if entry.name == MAIN or not isinstance(entry.type.result, PointerType):
        return program
    kept = Variable(f"what {entry.name} returns", entry.type.result, is_global=True)
    edges: list[Edge[Operation]] = []
    for number, edge in enumerate(entry.cfa.edges):
        if isinstance(edge.label, Return) and edge.label.value is not None:
            keep = Assign(edge.label.place, kept, edge.label.value)
            edges += chain(f"{entry.name}.kept{number}", [keep, edge.label], edge.target, edge.source)
        else:
            edges.append(edge)
    main = replace(entry, cfa=Cfa(entry.cfa.entry, tuple(edges)))
    return replace(program, functions={**program.functions, main.name: main}, globals=(*program.globals, Global(kept)))


def _with_constructors(main: Function, names: Sequence[str], tables: Sequence[str]) -> Function:
    operations: list[Operation] = [
        Unsupported(main.place, f"the loader runs the functions of {name}, by the section that it is in")
        for name in tables
    ]
    operations += [Call(main.place, name, ()) for name in names]
    edges = chain(f"{main.name}.start", operations, main.cfa.entry)
    return replace(main, cfa=Cfa(edges[0].source, (*edges, *main.cfa.edges))) if edges else main


def _with_destructors(function: Function, names: Sequence[str]) -> Function:
    """After the registered functions the destructors are called."""
    edges: list[Edge[Operation]] = []
    for number, edge in enumerate(function.cfa.edges):
        if isinstance(edge.label, Call) and edge.label.function == RUN_HANDLERS:
            calls = [edge.label, *(Call(edge.label.place, name, ()) for name in names)]
            edges += chain(f"{function.name}.end{number}", calls, edge.target, edge.source)
        else:
            edges.append(edge)
    return replace(function, cfa=Cfa(function.cfa.entry, tuple(edges)))


def _with_end(main: Function, destructors: Sequence[str]) -> Function:
    """A return from the entry is an exit; before it, the variables of the entry end."""
    labels = [edge.label for edge in main.cfa.edges]
    declared = {o.variable for o in labels if isinstance(o, DeclareLocal)}
    ended = tuple(v for v in main.locals if v in address_taken(labels) and v in declared)
    result = Variable("$status", main.type.result)
    edges: list[Edge[Operation]] = []
    for number, edge in enumerate(main.cfa.edges):
        label = edge.label
        if not isinstance(label, Return):
            edges.append(edge)
            continue
        kept = label.value is not None and not isinstance(label.value.type, RecordType)
        steps: list[Operation] = [Assign(label.place, result, label.value)] if kept and label.value is not None else []
        steps += [EndScope(label.place, ended)] if ended and (kept or label.value is None) else []
        steps += [Call(label.place, name, ()) for name in (RUN_HANDLERS, *destructors)]
        steps.append(replace(label, value=result) if kept else label)
        edges += chain(f"{main.name}.return{number}", steps, edge.target, edge.source)
    return replace(main, cfa=Cfa(main.cfa.entry, tuple(edges)), locals=(*main.locals, result))
