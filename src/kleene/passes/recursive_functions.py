"""Recursive functions, which cannot be inlined, are analysed apart: one automaton for the program, with `Invoke` edges.

The automaton of a recursive function begins with `Enter` and ends with `Leave`; `domains/shape/calling.py` defines
their effect.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from kleene.cfa.expressions import Expression, Variable
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Assign,
    Call,
    DeclareLocal,
    EndScope,
    Enter,
    Error,
    Exit,
    Invoke,
    Leave,
    Operation,
    Return,
    Unsupported,
    address_taken,
    rename_variables,
)
from kleene.cfa.program import CProgram, Function
from kleene.cfa.types import ArrayType, IntegerType, PointerType, RecordType, Type
from kleene.diagnostics import Limit, LimitReached
from kleene.passes.inline import convert_value, inline
from kleene.passes.prepare import prepare_program
from kleene.passes.tail_calls import without_tail_recursion


def whole_program(program: CProgram) -> CProgram:
    """The program with calls inlined as far as they can be, made ready, and with one automaton for all of it.

    Raises LimitReached if the program is too large, or if the entry is called again.
    """
    inlined = prepare_program(inline(without_tail_recursion(program)))
    if inlined.entry in inlined.recursive_functions:
        raise LimitReached(f"{inlined.entry} is called again", Limit.SIZE)
    used = {
        e.label.function
        for f in inlined.functions.values()
        for e in f.cfa.edges
        if isinstance(e.label, Call) and e.label.result is not None
    }
    apart = [_Procedure(f, f.name in used) for f in inlined.functions.values() if f.name != inlined.entry]
    if not apart:
        return inlined
    known = {procedure.function.name: procedure for procedure in apart}
    edges: list[Edge[Operation]] = []
    for procedure in (_Procedure(inlined.main, False, main=True), *apart):
        edges += procedure.translate(known)
    main = replace(inlined.main, cfa=Cfa(inlined.main.cfa.entry, tuple(edges)))
    return replace(inlined, functions={inlined.entry: main})


@dataclass
class _Procedure:
    """One function whose calls of recursive functions become `Invoke`."""

    function: Function
    returns: bool
    main: bool = False
    edges: list[Edge[Operation]] = field(default_factory=list)
    fresh: int = 0

    def __post_init__(self) -> None:
        function = self.function
        labels = [e.label for e in function.cfa.edges]
        own = (*function.parameters, *function.locals)
        self.rename = {} if self.main else {v: Variable(f"{function.name}.{v.name}", v.type) for v in own}
        self.taken = address_taken(labels)
        self.declared = {o.variable for o in labels if isinstance(o, DeclareLocal)}
        self.given = {
            p: self._fresh(f"$in_{p}", p) if p in self.taken else self.rename[p]
            for p in function.parameters
            if not self.main
        }
        self.result = self._fresh("$result", function.type.result) if self.returns else None

    def _fresh(self, name: str, like: Variable | Type) -> Variable:
        type_ = like.type if isinstance(like, Variable) else like
        return Variable(f"{self.function.name}.{name}", type_)

    @property
    def parameters(self) -> tuple[Variable, ...]:
        """The variables that receive the arguments: the parameters, or copies of those that are memory objects."""
        return tuple(self.given.values())

    @property
    def entry(self) -> str:
        return f"{self.function.name}:enter"

    def translate(self, known: dict[str, _Procedure]) -> list[Edge[Operation]]:
        """The edges of the function."""
        function = self.function
        if not self.main:
            self._begin()
        for edge in function.cfa.edges:
            source, target = self._at(edge.source), self._at(edge.target)
            operation = rename_variables(edge.label, self.rename)
            if isinstance(operation, Call) and isinstance(operation.function, str):
                self._chain(source, self._call(operation, known[operation.function]), target)
            elif isinstance(operation, Return) and not self.main:
                self._chain(source, self._return(operation), target)
            elif isinstance(operation, Exit | Error | Unsupported) and not self.main:
                self._chain(source, [operation], f"{function.name}:stopped")
            else:
                self._chain(source, [operation], target)
        return self.edges

    def _at(self, location: str) -> str:
        return location if self.main else f"{self.function.name}:{location}"

    def _chain(self, source: str, operations: list[Operation], target: str) -> None:
        here = source
        for number, operation in enumerate(operations):
            self.fresh += 1
            there = target if number == len(operations) - 1 else f"{source}'call{self.fresh}"
            self.edges.append(Edge(here, operation, there))
            here = there

    def _begin(self) -> None:
        function, place = self.function, self.function.place
        steps: list[Operation] = [Enter(place, function.name, self.parameters)]
        if any(isinstance(p.type, RecordType | ArrayType) for p in function.parameters):
            steps.append(Unsupported(place, "a struct as an argument of a recursive function"))
            self._chain(self.entry, steps, f"{function.name}:stopped")
            return
        for local in function.locals:  # temporaries of the C reader that are memory objects
            if local not in self.declared and (local in self.taken or isinstance(local.type, RecordType | ArrayType)):
                steps.append(DeclareLocal(place, self.rename[local]))
        for parameter, given in self.given.items():
            own = self.rename[parameter]
            if own != given:
                steps += [DeclareLocal(place, own), Assign(place, own, given)]
        self._chain(self.entry, steps, self._at(function.cfa.entry))

    def _return(self, operation: Return) -> list[Operation]:
        place = operation.place
        steps: list[Operation] = []
        if self.result is not None:
            if operation.value is None:
                steps.append(DeclareLocal(place, self.result))
            else:
                steps.append(Assign(place, self.result, convert_value(operation.value, self.result)))
        return [*steps, EndScope(place, tuple(self.rename.values())), Leave(place, self.function.name, self.result)]

    def _call(self, call: Call, callee: _Procedure) -> list[Operation]:
        place = call.place
        steps: list[Operation] = []
        arguments = []
        for number, (parameter, value) in enumerate(zip(callee.parameters, call.arguments, strict=False), 1):
            if isinstance(parameter.type, RecordType | ArrayType):
                return [Unsupported(place, "a struct as an argument of a recursive function")]
            if not self._plain(value, parameter):
                copy = self._fresh(f"$arg{number}", parameter)
                steps += [DeclareLocal(place, copy), Assign(place, copy, convert_value(value, copy))]
                value = copy
            arguments.append(value)
        target = call.result
        if target is not None and callee.result is not None:
            if not isinstance(callee.result.type, PointerType | IntegerType):
                return [Unsupported(place, f"a recursive function that returns {callee.result.type}")]
            if not self._plain(target, callee.result):
                target = self._fresh("$got", callee.result)
        name = callee.function.name
        steps.append(Invoke(place, name, tuple(arguments), callee.parameters, target, callee.result))  # type: ignore[arg-type]
        if call.result is not None and call.result != target:
            steps.append(Assign(place, call.result, convert_value(target, call.result)))  # type: ignore[arg-type]
        return steps

    def _plain(self, value: Expression, like: Variable) -> bool:
        """A local variable that is not a memory object."""
        taken = {self.rename.get(v, v) for v in self.taken}
        local = isinstance(value, Variable) and not value.is_global and value not in taken
        return local and value.type == like.type
