"""Variable arguments of functions of the program (C17, 7.16).

A `va_list` becomes a number, the index of the next argument. A function that reads variable arguments gets parameters
for them, as many as the longest call of the program passes: for each its kind and a value of each kind. `va_arg` is a
choice by the index; reading an argument as another kind than it was passed, or one that was not passed, is not
supported (C leaves it undefined).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kleene.c.clang import kind
from kleene.c.lowering import UnsupportedConstruct, strip
from kleene.cfa.expressions import Cast, Comparison, Constant, Expression, FloatConstant, Variable
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Assume, Call, Operation, Unsupported
from kleene.cfa.program import CProgram, Function
from kleene.cfa.types import INT, LONG_LONG, VOID, FloatType, IntegerType, PointerType, Type

if TYPE_CHECKING:
    from kleene.c.lowering import LoweringContext

READ = "$va_arg"
"""The name of the calls that stand for `va_arg` between the lowering and `with_variable_arguments`."""
_LISTS = frozenset(("va_list", "__builtin_va_list", "__gnuc_va_list", "struct __va_list_tag *", "__va_list_tag *"))
_DOUBLE = FloatType(64)
_NUMBER, _POINTER, _REAL = 1, 2, 3


def is_read(cursor: Any, inner: Any) -> bool:
    """Whether an expression that libclang does not name is `va_arg(inner, type of cursor)`."""
    return is_argument_list(strip(inner).type) and not is_argument_list(cursor.type)


def is_argument_list(type_: Any) -> bool:
    """Whether a type of libclang is `va_list`, or what a parameter of this type is."""
    return type_.spelling in _LISTS


def read_argument(lower: LoweringContext, cursor: Any, inner: Any) -> Expression:
    """`va_arg(inner, type)`."""
    type_ = lower.type(cursor)
    result = lower.builder.temporary(type_)
    lower.builder.emit(Call(lower.place(cursor), READ, (index_of(lower, inner),), result))
    return result


def start(lower: LoweringContext, cursor: Any, arguments: list[Any]) -> None:
    """`va_start(list, last)`."""
    lower.assign(cursor, index_of(lower, arguments[0]), Constant(0, INT))


def copy(lower: LoweringContext, cursor: Any, arguments: list[Any]) -> None:
    """`va_copy(target, source)`."""
    lower.assign(cursor, index_of(lower, arguments[0]), index_of(lower, arguments[1]))


def index_of(lower: LoweringContext, cursor: Any) -> Variable:
    """The number that a `va_list` is."""
    inner = strip(cursor)
    if kind(inner) != "DECL_REF_EXPR" or kind(inner.referenced) != "VAR_DECL":
        raise UnsupportedConstruct("variable arguments by a va_list of another function", cursor)
    name = f"{inner.spelling}@{inner.referenced.location.offset}"
    if name not in lower.lists:
        lower.lists[name] = lower.builder.temporary(INT)
    return lower.lists[name]


def with_variable_arguments(program: CProgram) -> CProgram:
    """The program with parameters for variable arguments; other variadic functions stay as they are."""
    readers = {name for name, f in program.functions.items() if any(_reads(e.label) for e in f.cfa.edges)}
    if not readers:
        return program
    counts = dict.fromkeys(readers, 0)
    for operation in program.operations:
        if isinstance(operation, Call) and operation.function in readers:
            assert isinstance(operation.function, str)
            extra = len(operation.arguments) - len(program.functions[operation.function].parameters)
            counts[operation.function] = max(counts[operation.function], extra)
    functions = {}
    for name, function in program.functions.items():
        edges: list[Edge[Operation]] = []
        slots = [_slot(n, program.pointer_size) for n in range(counts.get(name, 0))]
        for edge in function.cfa.edges:
            call = edge.label
            if _reads(call):
                assert isinstance(call, Call)
                edges += _choices(edge, call, slots, function.exit)
            elif isinstance(call, Call) and isinstance(call.function, str) and call.function in readers:
                edges.append(replace(edge, label=_pass_values(program, call, counts[call.function])))
            else:
                edges.append(edge)
        cfa = Cfa(function.cfa.entry, tuple(edges))
        functions[name] = _with_parameters(replace(function, cfa=cfa), slots)
    return replace(program, functions=functions)


def _reads(operation: Operation) -> bool:
    return isinstance(operation, Call) and operation.function == READ


def _slot(number: int, pointer_size: int) -> tuple[Variable, ...]:
    """The parameters of one argument: its kind, and its value as a number, as a pointer and as a real."""
    types: tuple[Type, ...] = (INT, LONG_LONG, PointerType(VOID, pointer_size), _DOUBLE)
    names = ("kind", "number", "pointer", "real")
    return tuple(Variable(f"$va{number}{name}", type_) for name, type_ in zip(names, types, strict=True))


def _with_parameters(function: Function, slots: list[tuple[Variable, ...]]) -> Function:
    added = tuple(variable for slot in slots for variable in slot)
    type_ = replace(function.type, parameters=(*function.type.parameters, *(v.type for v in added)))
    return replace(function, type=type_, parameters=(*function.parameters, *added)) if added else function


def _pass_values(program: CProgram, call: Call, count: int) -> Call:
    """A call with values for all parameters."""
    assert isinstance(call.function, str)
    fixed = len(program.functions[call.function].parameters)
    arguments = list(call.arguments[:fixed])
    given = call.arguments[fixed:]
    for number in range(count):
        slot = _slot(number, program.pointer_size)
        values: list[Expression] = [*(Constant(0, v.type) for v in slot[:_REAL]), FloatConstant(0.0, _DOUBLE)]
        if number < len(given):
            which = _kind(given[number].type)
            values[0] = Constant(which, INT)
            if which:
                values[which] = _convert(given[number], slot[which].type)
        arguments += values
    return replace(call, arguments=tuple(arguments))


def _kind(type_: Type) -> int:
    """The kind of an argument by its type; 0 for a struct."""
    if isinstance(type_, PointerType):
        return _POINTER
    return _NUMBER if isinstance(type_, IntegerType) else _REAL if isinstance(type_, FloatType) else 0


def _convert(value: Expression, type_: Type) -> Expression:
    return value if value.type == type_ else Cast(value, type_)


def _choices(edge: Edge[Operation], call: Call, slots: list[tuple[Variable, ...]], exit_: str) -> list[Edge[Operation]]:
    """One `va_arg` as a choice between the arguments."""
    (index,) = call.arguments
    assert call.result is not None and isinstance(index, Variable)
    wanted = _kind(call.result.type)
    edges: list[Edge[Operation]] = []
    here = edge.source
    for number, slot in enumerate(slots):
        names = [f"{edge.source}.va{number}{part}" for part in ("yes", "no", "same", "other", "read")]
        yes, no, same, other, read = names
        is_next = Comparison("==", index, Constant(number, INT))
        fits = Comparison("==", slot[0], Constant(wanted, INT))
        value = slot[wanted] if wanted else slot[_NUMBER]
        edges += [
            Edge(here, Assume(call.place, is_next), yes),
            Edge(here, Assume(call.place, is_next, truth=False), no),
            Edge(yes, Assume(call.place, fits), same),
            Edge(yes, Assume(call.place, fits, truth=False), other),
            Edge(other, Unsupported(call.place, f"variable argument {number + 1} is read as another type"), exit_),
            Edge(same, Assign(call.place, call.result, _convert(value, call.result.type)), read),
            Edge(read, Assign(call.place, index, Constant(number + 1, INT)), edge.target),
        ]
        here = no
    edges.append(Edge(here, Unsupported(call.place, "va_arg reads more arguments than are passed"), exit_))
    return edges
