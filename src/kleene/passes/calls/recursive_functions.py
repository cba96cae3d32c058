"""One automaton for a program: recursive functions, which cannot be inlined, get locations of their own in it.

The part of a recursive function begins with `Enter` and ends with `Leave`; a call is an `Invoke` edge.
`domains/shape/calling.py` defines their effect. A result that is a floating-point number is any number: no analysis
follows these.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from kleene.cfa.expressions import Expression, Variable
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    CHOICE,
    Assign,
    Call,
    DeclareLocal,
    EndScope,
    Enter,
    Error,
    Exit,
    Havoc,
    Invoke,
    Leave,
    Operation,
    Return,
    Unsupported,
    address_taken,
    evaluations,
    rename_variables,
)
from kleene.cfa.program import CProgram, Function
from kleene.cfa.types import ArrayType, FloatType, IntegerType, PointerType, RecordType, Type
from kleene.passes.calls.inline import convert_value


def procedures_of(program: CProgram) -> dict[str, Procedure]:
    """The functions of a program in which only recursive functions are called, the entry first."""
    used = {
        e.label.function
        for f in program.functions.values()
        for e in f.cfa.edges
        if isinstance(e.label, Call) and e.label.result is not None
    }
    apart = [f for f in program.functions.values() if f.name != program.entry]
    main = {program.entry: Procedure(program.main, False, main=True)}
    return main | {f.name: Procedure(f, f.name in used) for f in apart}


def with_one_automaton(program: CProgram) -> CProgram:
    """The program with the automata of its functions in one."""
    procedures = procedures_of(program)
    if len(procedures) == 1:
        return program
    edges = [edge for procedure in procedures.values() for edge in procedure.translate(procedures)]
    main = replace(program.main, cfa=Cfa(program.main.cfa.entry, tuple(edges)))
    return replace(program, functions={program.entry: main})


@dataclass
class Procedure:
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
        returned = function.type.result
        is_followed = self.returns and not isinstance(returned, FloatType)
        self.result = self._fresh("$result", returned) if is_followed else None

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

    def translate(self, known: dict[str, Procedure]) -> list[Edge[Operation]]:
        """The edges of the function."""
        function = self.function
        if not self.main:
            self._begin()
        for edge in function.cfa.edges:
            source, target = self.at(edge.source), self.at(edge.target)
            operation = rename_variables(edge.label, self.rename)
            if isinstance(operation, Call) and operation.function in known:
                self._chain(source, self._call(operation, known[str(operation.function)]), target)
            elif isinstance(operation, Return) and not self.main:
                self._chain(source, self._return(operation), target)
            elif isinstance(operation, Exit | Error | Unsupported) and not self.main:
                self._chain(source, [operation], f"{function.name}:stopped")
            else:
                self._chain(source, [operation], target)
        return self.edges

    def at(self, location: str) -> str:
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
            steps.append(Unsupported(place, "a struct as an argument of a function that is analysed apart"))
            self._chain(self.entry, steps, f"{function.name}:stopped")
            return
        for local in function.locals:  # temporaries of the C reader that are memory objects
            if local not in self.declared and (local in self.taken or isinstance(local.type, RecordType | ArrayType)):
                steps.append(DeclareLocal(place, self.rename[local]))
        for parameter, given in self.given.items():
            own = self.rename[parameter]
            if own != given:
                steps += [DeclareLocal(place, own), Assign(place, own, given)]
        self._chain(self.entry, steps, self.at(function.cfa.entry))

    def _return(self, operation: Return) -> list[Operation]:
        place = operation.place
        steps: list[Operation] = []
        if self.result is None:
            steps += evaluations(place, () if operation.value is None else (operation.value,))
        elif operation.value is None:
            steps.append(DeclareLocal(place, self.result))
        else:
            steps.append(Assign(place, self.result, convert_value(operation.value, self.result)))
        return [*steps, EndScope(place, tuple(self.rename.values())), Leave(place, self.function.name, self.result)]

    def _call(self, call: Call, callee: Procedure) -> list[Operation]:
        place = call.place
        steps: list[Operation] = []
        arguments = []
        for number, (parameter, value) in enumerate(zip(callee.parameters, call.arguments, strict=True), 1):
            if isinstance(parameter.type, RecordType | ArrayType):
                return [Unsupported(place, "a struct as an argument of a function that is analysed apart")]
            if not self._plain(value, parameter):
                copy = self._fresh(f"$arg{number}", parameter)
                steps += [DeclareLocal(place, copy), Assign(place, copy, convert_value(value, copy))]
                value = copy
            arguments.append(value)
        target = call.result if callee.result is not None else None
        if target is not None and callee.result is not None:
            if not isinstance(callee.result.type, PointerType | IntegerType):
                return [Unsupported(place, f"a function that is analysed apart and returns {callee.result.type}")]
            if not self._plain(target, callee.result):
                target = self._fresh("$got", callee.result)
        name = callee.function.name
        steps.append(Invoke(place, name, tuple(arguments), callee.parameters, target, callee.result))  # type: ignore[arg-type]
        if call.result is not None and callee.result is None:
            steps.append(Havoc(place, call.result, CHOICE))
        elif call.result is not None and call.result != target:
            steps.append(Assign(place, call.result, convert_value(target, call.result)))  # type: ignore[arg-type]
        return steps

    def _plain(self, value: Expression, like: Variable) -> bool:
        """A local variable that is not a memory object."""
        taken = {self.rename.get(v, v) for v in self.taken}
        local = isinstance(value, Variable) and not value.is_global and value not in taken
        return local and value.type == like.type
