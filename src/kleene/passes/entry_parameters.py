"""The parameters of the entry get their values by operations, so that no analysis takes them for NULL or zero.

A number is arbitrary. `argv` and `envp` of `main` point to arrays of texts, which the memory model does not support;
any other pointer is NULL or points to unknown memory. The program may copy such a pointer and compare it with NULL.
Any other operation on it becomes `Unsupported`, with advice for the user. A forward analysis tracks the copies: a
variable is unknown if it is unknown on some path.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kleene.cfa.dataflow import solve_forward
from kleene.cfa.expressions import (
    AddressOf,
    Cast,
    Comparison,
    Constant,
    Expression,
    Field,
    Variable,
    children,
    variables,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Assign,
    Assume,
    DeclareLocal,
    EndScope,
    Havoc,
    Operation,
    Place,
    Specified,
    Unsupported,
    expressions,
)
from kleene.cfa.program import CProgram, Function, Global
from kleene.cfa.types import (
    CHAR,
    INT,
    FloatType,
    FunctionType,
    IntegerType,
    PointerType,
    RecordField,
    RecordLayout,
    RecordType,
)

LEAST_ARGUMENTS = 1
"""Arguments of a program, with its name: no shell starts a program without one, nor does Linux since 5.18."""
MOST_ARGUMENTS = 1 << 30
"""Arguments at most: their pointers alone would fill the memory that Linux grants them many times over."""

ARGUMENTS = "$arguments"
"""The global array that stands for `argv`."""
ARGUMENT = Variable(f"{ARGUMENTS} text", RecordType(f"{ARGUMENTS} text", 1), is_global=True)
"""The object that stands for each text of `argv`."""
COUNT = "$argc"
"""The variable that keeps the number of arguments, which the program may change."""
Origins = Mapping[Variable, Variable]
"""Maps each variable that may hold the value of a parameter to this parameter."""


def with_entry_values(program: CProgram) -> CProgram:
    """The program, inlined, with the parameters of its entry as local variables that get values first."""
    main = program.main
    if not main.parameters or program.entry in program.recursive_functions:
        return program
    prologue = _Prologue(program)
    used = {v for edge in main.cfa.edges for e in expressions(edge.label) for v in variables(e)}
    used -= {v for edge in main.cfa.edges for v in _given_by_contract(edge.label)}
    if has_arguments(program) and main.parameters[1] in used:
        used.add(main.parameters[0])
    for number, parameter in enumerate(main.parameters):
        if parameter in used:
            prologue.give(number, parameter)
    known: dict[Variable, Variable] = {p: p for p in main.parameters if not isinstance(p.type, IntegerType | FloatType)}
    if has_arguments(program):
        del known[main.parameters[1]]
    followed = _only_copied(program, main, known)
    edges = (*prologue.edges, Edge(prologue.here, prologue.last(), main.cfa.entry), *followed)
    changed = replace(
        main,
        parameters=(),
        locals=(*main.parameters, *prologue.locals, *prologue.kept, *main.locals),
        cfa=Cfa(f"{main.name}.start", edges),
    )
    functions = {**program.functions, program.entry: changed}
    globals_ = (*program.globals, *prologue.globals)
    return replace(program, functions=functions, globals=globals_, records=program.records | prologue.records)


def _given_by_contract(operation: Operation) -> tuple[Variable, ...]:
    """The parameters that a body declares, or that its contract gives it, when the body is checked alone."""
    if isinstance(operation, DeclareLocal):
        return (operation.variable,)
    return operation.targets if isinstance(operation, Specified) and operation.role == "given" else ()


@dataclass
class _Prologue:
    """The operations before the entry."""

    program: CProgram
    edges: list[Edge[Operation]] = field(default_factory=list)
    locals: list[Variable] = field(default_factory=list)
    kept: list[Variable] = field(default_factory=list)
    """Variables that live as long as the program."""
    globals: list[Global] = field(default_factory=list)
    records: dict[str, RecordLayout] = field(default_factory=dict)
    _made: int = 0

    @property
    def here(self) -> str:
        return self._location(self._made)

    @property
    def place(self) -> Place:
        return self.program.main.place

    def give(self, number: int, parameter: Variable) -> None:
        self._emit(DeclareLocal(self.place, parameter))
        if isinstance(parameter.type, IntegerType):
            self._emit(Havoc(self.place, parameter, f"parameter {parameter}"))
            if self.program.entry == "main" and number == 0:  # the number of arguments
                test = Comparison(">=", parameter, Constant(LEAST_ARGUMENTS, parameter.type))
                self._fork(test, self._location(self._made + 1), f"{self.program.entry}.nowhere")
                test = Comparison("<=", parameter, Constant(MOST_ARGUMENTS, parameter.type))
                self._fork(test, self._location(self._made + 1), f"{self.program.entry}.nowhere")
        elif self._is_argv(number) and isinstance(parameter.type, PointerType):
            self._arguments(parameter, parameter.type)
        elif isinstance(parameter.type, PointerType) and not isinstance(parameter.type.target, FunctionType):
            self._point(parameter, parameter.type, may_be_null=not is_texts(self.program, number))

    def _is_argv(self, number: int) -> bool:
        return number == 1 and has_arguments(self.program)

    def _arguments(self, parameter: Variable, type_: PointerType) -> None:
        """`argv` points to an array of texts, of which `passes/elements/text` knows the length."""
        array = Variable(ARGUMENTS, RecordType(ARGUMENTS, type_.size), is_global=True)
        first = Field(array, "first", type_.target, 0)
        fields = (RecordField("first", type_.target, 0),)
        self.records = {
            ARGUMENTS: RecordLayout(RecordType(ARGUMENTS, type_.size), fields),
            ARGUMENT.name: RecordLayout(RecordType(ARGUMENT.name, 1), (RecordField("character", CHAR, 0),)),
        }
        initial = Assign(self.place, first, AddressOf(ARGUMENT, type_.target))
        self.globals += [Global(ARGUMENT), Global(array, (initial,))]
        count = Variable(COUNT, INT)
        self.kept.append(count)
        self._emit(Assign(self.place, count, self.program.main.parameters[0]))
        self._emit(Assign(self.place, parameter, AddressOf(array, type_)))

    def _point(self, parameter: Variable, type_: PointerType, *, may_be_null: bool) -> None:
        target = Variable(f"$*{parameter}", CHAR, is_global=True)
        self.globals.append(Global(target))
        somewhere = Cast(AddressOf(target, PointerType(CHAR, type_.size)), type_)
        if not may_be_null:
            self._emit(Assign(self.place, parameter, somewhere))
            return
        choice = Variable(f"${parameter} is given", INT)
        self.locals.append(choice)
        self._emit(DeclareLocal(self.place, choice))
        self._emit(Havoc(self.place, choice, f"parameter {parameter}"))
        yes, no, end = (self._location(self._made + n) for n in (1, 2, 3))
        self._fork(Comparison("!=", choice, Constant(0, INT)), yes, no)
        self.edges.append(Edge(yes, Assign(self.place, parameter, somewhere), end))
        self.edges.append(Edge(no, Assign(self.place, parameter, Constant(0, type_)), end))
        self._made += 2

    def last(self) -> Operation:
        return EndScope(self.place, tuple(self.locals))

    def _location(self, number: int) -> str:
        return f"{self.program.entry}.start" + ("" if number == 0 else f"{number}")

    def _emit(self, operation: Operation) -> None:
        start = self.here
        self._made += 1
        self.edges.append(Edge(start, operation, self.here))

    def _fork(self, test: Expression, yes: str, no: str) -> None:
        start = self.here
        self._made += 1
        self.edges.append(Edge(start, Assume(self.place, test, truth=True), yes))
        self.edges.append(Edge(start, Assume(self.place, test, truth=False), no))


def has_arguments(program: CProgram) -> bool:
    """Whether the entry is ``main(int argc, char **argv)``."""
    parameters = program.main.parameters
    return len(parameters) > 1 and isinstance(parameters[0].type, IntegerType) and is_texts(program, 1)


def is_texts(program: CProgram, number: int) -> bool:
    """Whether the parameter of that number is `argv` or `envp` of `main`: an array of texts that ends with NULL."""
    type_ = program.main.parameters[number].type
    inner = type_.target if isinstance(type_, PointerType) else None
    character = inner.target if isinstance(inner, PointerType) else None
    return program.entry == "main" and number > 0 and isinstance(character, IntegerType) and character.bits == CHAR.bits


def unknown_memory(program: CProgram, parameter: Variable) -> str:
    """The message for a use of a parameter of the entry whose memory is unknown, with advice."""
    main = program.main
    if parameter in main.parameters and is_texts(program, main.parameters.index(parameter)):
        return f"the texts that '{parameter}' of main points to; to check what follows, copy them from a fixed array"
    what = f"what the parameter '{parameter}' of {main.name} " + (
        "points to" if isinstance(parameter.type, PointerType) else "holds"
    )
    return f"nothing is known of {what}: write a main that builds the argument, or a contract (--contracts)"


# Copies of unknown pointers -------------------------------------------------------------------------------------


def _only_copied(program: CProgram, main: Function, known: Origins) -> list[Edge[Operation]]:
    """The edges of the entry; an operation that does not only copy or test an unknown pointer becomes Unsupported."""

    def join(_: str, before: Origins, after: Origins) -> Origins | None:
        merged = {**after, **before}
        return merged if len(merged) > len(before) else None

    start: dict[str, Origins] = {main.cfa.entry: dict(known)}
    held = solve_forward(main.cfa, start, lambda edge, before: _after(edge.label, before), join)
    edges: dict[tuple[str, int], Edge[Operation]] = {}
    for number, edge in enumerate(main.cfa.edges):
        used = _used_parameter(edge.label, held.get(edge.source, {}))
        if used is None:
            edges[edge.source, number] = edge
        else:
            why = Unsupported(edge.label.place, unknown_memory(program, used))
            edges.setdefault((edge.source, -1), Edge(edge.source, why, main.exit))
    return list(edges.values())


def _after(operation: Operation, held: Origins) -> dict[Variable, Variable]:
    """The variables that hold unknown pointers after an operation."""
    after = dict(held)
    written: tuple[Expression, ...] = ()
    match operation:
        case DeclareLocal(variable=variable):
            written = (variable,)
        case EndScope(variables=ended):
            written = ended
        case Specified(targets=targets):
            written = targets
        case _:
            written = _target(operation)
    for target in written:
        if isinstance(target, Variable):
            after.pop(target, None)
    if isinstance(operation, Assign) and isinstance(operation.target, Variable):
        origin = _origin(operation.value, held)
        if origin is not None and not operation.target.is_global:
            after[operation.target] = origin
    return after


def _target(operation: Operation) -> tuple[Expression, ...]:
    """The variable that an operation overwrites, if any."""
    target = getattr(operation, "target", None) or getattr(operation, "result", None)
    return (target,) if isinstance(target, Variable) else ()


def _used_parameter(operation: Operation, held: Origins) -> Variable | None:
    """The parameter that an operation uses for more than a copy or a comparison with NULL."""
    match operation:
        case Specified() | EndScope() | DeclareLocal() | Unsupported():
            return None
        case Assign(target=Variable(is_global=False) as target, value=value) if origin := _origin(value, held):
            return origin if not isinstance(target.type, PointerType) else None
    mentioned = [v for e in _read(operation) for v in _looked_at(e, held)]
    return held[mentioned[0]] if mentioned else None


def _looked_at(expression: Expression, held: Origins) -> list[Variable]:
    """The unknown pointers that an expression uses for more than a comparison with NULL."""
    if isinstance(expression, Variable):
        return [expression] if expression in held else []
    if isinstance(expression, Comparison) and expression.operator in ("==", "!="):
        for one, other in ((expression.left, expression.right), (expression.right, expression.left)):
            if isinstance(other, Constant) and other.value == 0 and _is_data(_plain(one)):
                return []
    return [v for part in children(expression) for v in _looked_at(part, held)]


def _read(operation: Operation) -> list[Expression]:
    """The expressions of an operation without a variable that it writes as a whole."""
    written = _target(operation)
    result = list(expressions(operation))
    for target in written:
        result.remove(target)
    return result


def _origin(value: Expression, held: Origins) -> Variable | None:
    """The parameter whose pointer a value is, if it is one."""
    variable = _plain(value)
    return held.get(variable) if variable is not None else None


def _plain(value: Expression) -> Variable | None:
    """The variable whose pointer value this is, converted or not."""
    while isinstance(value, Cast) and isinstance(value.type, PointerType):
        value = value.operand
    return value if isinstance(value, Variable) else None


def _is_data(value: Expression | None) -> bool:
    """Whether this is a variable that points to data: functions are numbers to the analyses."""
    type_ = value.type if value is not None else None
    return isinstance(type_, PointerType) and not isinstance(type_.target, FunctionType)
