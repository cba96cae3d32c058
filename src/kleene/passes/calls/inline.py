"""Inlining along the call graph: a program in which only recursive functions are called.

Every call site gets its own copy of the callee, with locals named `callee$N.local` and locations likewise.
Calls through a pointer become a choice between the functions whose address is taken and that take as many arguments.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from kleene.cfa.expressions import (
    Cast,
    Comparison,
    Constant,
    Expression,
    FunctionAddress,
    Variable,
    root_variable,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    CHOICE,
    Allocate,
    Assign,
    Assume,
    Call,
    DeclareLocal,
    EndScope,
    Error,
    Exit,
    Havoc,
    Operation,
    Place,
    Return,
    Skip,
    Specified,
    Unsupported,
    evaluations,
    rename_variables,
)
from kleene.cfa.program import SUMMARY, TEXT_PRIMITIVES, CProgram, Function
from kleene.cfa.unused import without_unused_variables
from kleene.diagnostics import Limit, LimitReached
from kleene.passes.pointers.function_values import is_function_pointer

MAX_POINTER_TARGETS = 64
"""Functions that one function pointer may call: a table of operations has so many. With more, it is not supported."""
MAX_EDGES = 200_000
"""Edges of an inlined program: a larger one is not analysed."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A function that was inlined: how the names of its variables and locations begin, and where it begins."""

    prefix: str
    entry: str


Copies = dict[tuple[str, str, str], Copy]
"""By the function that stays, the location of the call in it, and the callee."""


def inline(program: CProgram, *, max_edges: int = MAX_EDGES) -> CProgram:
    """The program with all calls inlined except those of recursive and specified functions, which keep their automata.

    The functions of the result are the entry and those functions that it reaches, its global variables those that they
    use. Raises LimitReached when the automata get larger than `max_edges`.
    """
    return inlined_with_copies(program, max_edges=max_edges)[0]


def inlined_with_copies(program: CProgram, *, max_edges: int = MAX_EDGES) -> tuple[CProgram, Copies]:
    """The program of `inline`, and the names of the inlined copies in it."""
    kept = [program.entry]
    kept += [n for n in program.reachable_functions if _is_apart(program, n) and n != program.entry]
    functions: dict[str, Function] = {}
    copies: Copies = {}
    for name in kept:
        inliner = _Inliner(program, max_edges)
        functions[name] = inliner.function(program.functions[name])
        copies |= {(name, *site): copy for site, copy in inliner.sites.items()}
    return without_unused_variables(replace(program, functions=functions)), copies


def _is_apart(program: CProgram, name: str) -> bool:
    """Whether a function stays apart: it is recursive, or a contract by formulas describes its effect."""
    if name in program.recursive_functions or name in program.apart:
        return True
    edges = program.functions[name].cfa.edges
    return any(isinstance(e.label, Specified) and e.label.role == "changes" for e in edges)


@dataclass
class _Inliner:
    """Builds the automaton of one function that stays."""

    program: CProgram
    max_edges: int
    edges: list[Edge[Operation]] = field(default_factory=list)
    locals: list[Variable] = field(default_factory=list)
    copies: Counter[str] = field(default_factory=Counter)
    sites: dict[tuple[str, str], Copy] = field(default_factory=dict)
    exit: str = ""
    fresh: int = 0

    def function(self, function: Function) -> Function:
        self.exit = function.exit
        self.locals = list(function.locals)
        for edge in function.cfa.edges:
            self._edge(edge.source, edge.label, edge.target, inlined=False)
        cfa = Cfa(function.cfa.entry, tuple(self.edges))
        return replace(function, cfa=cfa, locals=tuple(self.locals))

    def _add(self, source: str, operation: Operation, target: str) -> None:
        if len(self.edges) >= self.max_edges:
            raise LimitReached(f"inlining reached {self.max_edges} edges", Limit.SIZE)
        self.edges.append(Edge(source, operation, target))

    def _location(self, near: str) -> str:
        self.fresh += 1
        return f"{near}'{self.fresh}"

    def _edge(self, source: str, operation: Operation, target: str, *, inlined: bool) -> None:
        if isinstance(operation, Call):
            self._call(source, operation, target)
        elif inlined and isinstance(operation, Allocate) and operation.stack and not operation.scoped:
            self._add(source, Unsupported(operation.place, "alloca in an inlined function"), self.exit)
        else:
            self._add(source, operation, target)

    def _call(self, source: str, call: Call, target: str) -> None:
        site = source
        if isinstance(call.function, str):
            self._direct(source, call, call.function, target, site)
            return
        names = self.program.targets(call)
        if len(names) > MAX_POINTER_TARGETS:
            self._add(source, Unsupported(call.place, "call through a pointer with too many targets"), self.exit)
            return
        for name in names:
            taken = next(a for a in self.program.address_taken if a.name == name)
            test = Comparison("==", call.function, FunctionAddress(name, taken.type))
            yes, no = self._location(source), self._location(source)
            self._add(source, Assume(call.place, test, truth=True), yes)
            self._add(source, Assume(call.place, test, truth=False), no)
            self._direct(yes, call, name, target, site)
            source = no
        reason = "call through a pointer to no known function" + _where_it_is_defined(self.program, call.function)
        self._add(source, Unsupported(call.place, reason), self.exit)

    def _direct(self, source: str, call: Call, name: str, target: str, site: str) -> None:
        if name in TEXT_PRIMITIVES:  # `passes/elements/text` defines it
            self._add(source, call, target)
            return
        callee = self.program.functions.get(name)
        if callee is not None and callee.place.file in self.program.library:
            callee = self.program.functions.get(SUMMARY + name, callee)
        if callee is None:
            self._add(source, Unsupported(call.place, f"call of '{name}', which has no body here"), self.exit)
        elif len(call.arguments) < len(callee.parameters):
            self._add(source, Unsupported(call.place, f"call of '{name}' with too few arguments"), self.exit)
        else:
            needed = len(callee.parameters)
            source = self._evaluate(source, call.place, call.arguments[needed:])
            call = replace(call, function=name, arguments=call.arguments[:needed])
            if _is_apart(self.program, name):
                self._add(source, call, target)
            else:
                self._copy(source, call, callee, target, site)

    def _evaluate(self, source: str, place: Place, values: tuple[Expression, ...]) -> str:
        """Evaluate values that nothing uses; the location behind them."""
        for operation in evaluations(place, values):
            middle = self._location(source)
            self._add(source, operation, middle)
            source = middle
        return source

    def _copy(self, source: str, call: Call, callee: Function, target: str, site: str) -> None:
        """A copy of the callee; `site` is the location of the call, before a choice of the function."""
        self.copies[callee.name] += 1
        prefix = f"{callee.name}${self.copies[callee.name]}."
        own = (*callee.parameters, *callee.locals)
        rename = {v: Variable(prefix + v.name, v.type) for v in own}
        self.locals += rename.values()
        entry = prefix + callee.cfa.entry
        if not call.arguments:
            entry = source
        self.sites[site, callee.name] = Copy(prefix, entry)
        here = source
        for number, (parameter, argument) in enumerate(zip(callee.parameters, call.arguments, strict=True)):
            declared = self._location(here)
            last = number == len(callee.parameters) - 1
            self._add(here, DeclareLocal(call.place, rename[parameter]), declared)
            following = entry if last else self._location(here)
            value = convert_value(argument, parameter)
            self._add(declared, Assign(call.place, rename[parameter], value), following)
            here = following
        names = {callee.cfa.entry: entry}
        for edge in callee.cfa.edges:
            start = names.get(edge.source, prefix + edge.source)
            end = names.get(edge.target, prefix + edge.target)
            operation = rename_variables(edge.label, rename)
            if callee.name.startswith(SUMMARY) or callee.place.file in self.program.library:
                operation = replace(operation, place=call.place)
            if callee.name.startswith(SUMMARY) and isinstance(operation, Havoc):
                operation = replace(operation, source=CHOICE)
            if isinstance(operation, Return):
                self._return(start, operation, call, tuple(rename.values()), target)
            elif isinstance(operation, Exit | Error | Unsupported):
                self._add(start, operation, self.exit)
            else:
                self._edge(start, operation, end, inlined=True)

    def _return(self, source: str, operation: Return, call: Call, ended: tuple[Variable, ...], target: str) -> None:
        place: Place = operation.place
        if call.result is not None:
            middle = self._location(source)
            if operation.value is None:
                self._add(source, Unsupported(place, "use of the value of a function that returns none"), self.exit)
                return
            self._add(source, Assign(place, call.result, convert_value(operation.value, call.result)), middle)
            source = middle
        elif operation.value is not None:
            source = self._evaluate(source, place, (operation.value,))
        if ended:
            self._add(source, EndScope(place, ended), target)
        else:
            self._add(source, Skip(place), target)


def _where_it_is_defined(program: CProgram, pointer: Expression) -> str:
    """What to do about a pointer in a variable that only other files define, or that unknown code gives."""
    root = root_variable(pointer)
    outside = {g.variable.name for g in program.globals if g.external} | {a.name for a in program.assumptions}
    if root is not None and root.is_global and root.name in outside:
        return f": {root} is declared and not defined; define it in a file of models: --models FILE.c"
    givers = {o.source for o in program.operations if isinstance(o, Havoc) and is_function_pointer(o.target.type)}
    names = sorted(givers & outside)
    if not names:
        return ""
    return f": {' or '.join(names)} may give one; define {'it' if len(names) == 1 else 'them'}: --models FILE.c"


def convert_value(value: Expression, target: Expression) -> Expression:
    """The value as an assignment to the target takes it."""
    if value.type == target.type:
        return value
    if isinstance(value, Constant) and value.value == 0:
        return Constant(0, target.type)
    return Cast(value, target.type)
