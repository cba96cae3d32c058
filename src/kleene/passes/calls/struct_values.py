"""Structs that recursive functions get and return become their scalars, which functions analysed apart can pass on.

A parameter that is a struct becomes one parameter for each of its scalars. A result that is a struct goes through
global variables, which the caller reads at once and clears: a block that only they hold is lost. A struct in memory is
copied as a whole, by way of a variable: its parts could change what leads to it, and its padding is accessed too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from kleene.cfa.expressions import Constant, Expression, Field, Variable
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Call, DeclareLocal, Operation, Place, Return
from kleene.cfa.program import CProgram, Function, Global
from kleene.cfa.types import VOID, FloatType, FunctionType, RecordType, Type
from kleene.passes.rewrite import Choice, expand_edges
from kleene.passes.scalars import Part, parts_of

_MARK = "'struct"
"""The mark of the locations between the scalars of a struct."""


def without_struct_values(program: CProgram) -> CProgram:
    """The inlined program whose recursive functions have scalars as parameters and results, where they can have."""
    calls = [e.label for f in program.functions.values() for e in f.cfa.edges if isinstance(e.label, Call)]
    if not all(isinstance(call.function, str) for call in calls):
        return program
    changed = {f.name: _Signature.of(f, program) for f in program.functions.values() if f.name != program.entry}
    signatures = {name: signature for name, signature in changed.items() if signature is not None}
    if not signatures:
        return program
    functions = {f.name: _rewritten(f, signatures) for f in program.functions.values()}
    results = tuple(Global(variable) for s in signatures.values() for variable, _ in s.results)
    return replace(program, functions=functions, globals=program.globals + results)


@dataclass(frozen=True)
class _Signature:
    """What replaces the parameters of a function, each by one or more, and the variables of its result."""

    parameters: tuple[tuple[tuple[Variable, Part | None], ...], ...]
    results: tuple[tuple[Variable, Part], ...]

    @classmethod
    def of(cls, function: Function, program: CProgram) -> _Signature | None:
        """The signature of a function with structs; None if it has none, or one whose scalars are not known."""
        result = function.type.result
        types = [result, *(p.type for p in function.parameters)]
        structs = [t for t in types if isinstance(t, RecordType)]
        if not structs or any(parts_of(t, program) is None for t in structs):
            return None
        parameters = tuple(
            tuple((Variable(f"{p.name}$in{part.name}", part.type), part) for part in _parts(p.type, program))
            or ((p, None),)
            for p in function.parameters
        )
        results = tuple(
            (Variable(f"$returned {function.name}{part.name}", part.type, is_global=True), part)
            for part in _parts(result, program)
        )
        return cls(parameters, results)

    @property
    def new_parameters(self) -> tuple[Variable, ...]:
        return tuple(variable for parts in self.parameters for variable, _ in parts)

    def type_of(self, old: FunctionType) -> FunctionType:
        result = VOID if self.results else old.result
        return replace(old, result=result, parameters=tuple(v.type for v in self.new_parameters))


def _parts(type_: Type, program: CProgram) -> list[Part]:
    return (parts_of(type_, program) or []) if isinstance(type_, RecordType) else []


def _rewritten(function: Function, signatures: dict[str, _Signature]) -> Function:
    own = signatures.get(function.name)
    copies: list[Variable] = []

    def expand(edge: Edge[Operation]) -> list[Choice] | None:
        label = edge.label
        if isinstance(label, Call) and isinstance(label.function, str) and label.function in signatures:
            return [Choice(None, tuple(_call(label, signatures[label.function], copies)))]
        if isinstance(label, Return) and own is not None and own.results and label.value is not None:
            before: list[Operation] = []
            value = _in_variable(label.value, label, copies, before)
            stores = _stores(label.place, ((v, p.of(value)) for v, p in own.results))
            return [Choice(None, (*before, *stores, replace(label, value=None)))]
        return None

    cfa = expand_edges(function.cfa, expand, _MARK)
    function = replace(function, cfa=cfa, locals=tuple(dict.fromkeys((*function.locals, *copies))))
    if own is None:
        return function
    begin: list[Operation] = []
    for parameter, parts in zip(function.parameters, own.parameters, strict=True):
        scalars = [(part.of(parameter), variable) for variable, part in parts if part is not None]
        begin += [DeclareLocal(function.place, parameter), *_stores(function.place, scalars)] if scalars else []
    locations = [f"{cfa.entry}{_MARK}.begin{n}" for n in range(len(begin))] + [cfa.entry]
    edges = [Edge(here, o, there) for here, o, there in zip(locations, begin, locations[1:], strict=False)]
    structs = tuple(p for p in function.parameters if p not in own.new_parameters)
    return replace(
        function,
        type=own.type_of(function.type),
        parameters=own.new_parameters,
        locals=(*function.locals, *structs),
        cfa=Cfa(locations[0], (*edges, *cfa.edges)),
    )


def _call(call: Call, callee: _Signature, copies: list[Variable]) -> list[Operation]:
    place = call.place
    steps: list[Operation] = []
    arguments: list[Expression] = []
    for value, parts in zip(call.arguments, callee.parameters, strict=True):
        if parts[0][1] is not None:
            value = _in_variable(value, call, copies, steps)
        arguments += [value if part is None else part.of(value) for _, part in parts]
    steps.append(replace(call, arguments=tuple(arguments), result=None if callee.results else call.result))
    if call.result is not None and callee.results:
        is_named = _is_in_variable(call.result)
        target = call.result if is_named else _copy(call.result, copies)
        if not is_named:
            steps.append(DeclareLocal(place, target))  # type: ignore[arg-type]
        steps += _stores(place, ((part.of(target), variable) for variable, part in callee.results))
        if not is_named:
            steps.append(Assign(place, call.result, target))
    nothing = ((v, Constant(0, v.type)) for v, _ in callee.results if not isinstance(v.type, FloatType))
    return [*steps, *_stores(place, nothing)]


def _in_variable(
    value: Expression, operation: Operation, copies: list[Variable], before: list[Operation]
) -> Expression:
    """The struct in a variable: itself, or a copy that is made `before`."""
    if _is_in_variable(value):
        return value
    copy = _copy(value, copies)
    before += [DeclareLocal(operation.place, copy), Assign(operation.place, copy, value)]
    return copy


def _is_in_variable(value: Expression) -> bool:
    while isinstance(value, Field):
        value = value.base
    return isinstance(value, Variable)


def _copy(value: Expression, copies: list[Variable]) -> Variable:
    copies.append(Variable(f"$struct{len(copies)}", value.type))
    return copies[-1]


def _stores(place: Place, pairs: Iterable[tuple[Expression, Expression]]) -> list[Operation]:
    return [Assign(place, target, value) for target, value in pairs]
