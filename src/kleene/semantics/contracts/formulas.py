"""Calls and bodies by contracts in formulas: `Specified` operations around them (`specifications.py`).

In the shape analysis, the contract replaces a call. Exact exploration checks `requires` and then calls the function
itself, so its runs are runs of the program. A body starts with all heaps that satisfy `requires`; each return checks
`ensures`. A block that the body created and lost is a leak. The caller may still hold the other blocks.

A pointer to a number is the address of a variable of the caller, another one for each parameter: no part of the heap. A
call gives the variable any number, and the body has variables of its own for them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from kleene.c.contracts import RESULT, Compared
from kleene.cfa.expressions import (
    AddressOf,
    Constant,
    Deref,
    Expression,
    Field,
    FunctionAddress,
    Variable,
    walk,
    without_casts,
)
from kleene.cfa.operations import (
    Assign,
    Call,
    DeclareLocal,
    EndScope,
    Exit,
    Havoc,
    MemCopy,
    MemSet,
    Operation,
    Return,
    Skip,
    Specified,
    Unsupported,
    expressions,
)
from kleene.cfa.program import CProgram, Function
from kleene.cfa.types import CHAR, INT, ArrayType, FloatType, IntegerType, PointerType, RecordType, Type, VoidType
from kleene.passes.calls.inline import convert_value
from kleene.semantics.contracts.parts import PartsBuilder
from kleene.semantics.contracts.specifications import Specification

SNAPSHOT = 16
"""Number of pointers at the entry of a body that exact exploration remembers."""


def records_of(program: CProgram, function: Function) -> tuple[RecordType, ...]:
    """The types of the blocks that a function may reach by its parameters, or return."""
    waiting: list[Type] = [*function.type.parameters, function.type.result]
    result: dict[RecordType, None] = {}
    while waiting:
        type_ = waiting.pop(0)
        target = type_.target if isinstance(type_, PointerType) else None
        if isinstance(target, RecordType) and target.name in program.records and target not in result:
            result[target] = None
            waiting += [member.type for member in program.records[target.name].fields]
    return tuple(result)


def not_described(program: CProgram, function: Function) -> str:
    """The reason why formulas cannot describe the blocks that a function reaches; empty if they can."""
    returned = function.type.result
    wrong = [t for t in function.type.parameters if isinstance(t, PointerType) and not points_to_number(t)]
    for type_ in (*wrong, *([returned] if isinstance(returned, PointerType) else ())):
        if not is_block(type_, program):
            return f"it has a pointer to {type_.target}, which formulas cannot describe"
    for record in records_of(program, function):
        layout = program.records[record.name]
        for member in layout.fields:
            plain = isinstance(member.type, IntegerType | FloatType) or is_block(member.type, program)
            if layout.union or not member.name or not plain:
                return f"the field '{member.name}' of {record} is neither a number nor a pointer to a struct"
    return ""


def is_block(type_: Type, program: CProgram) -> bool:
    """Whether a type is a pointer to a struct: formulas are about such blocks."""
    target = type_.target if isinstance(type_, PointerType) else None
    return isinstance(target, RecordType) and target.name in program.records


def points_to_number(type_: Type) -> bool:
    """Whether a type is a pointer to a number: the address of a variable; a pointer to characters may be a text."""
    target = type_.target if isinstance(type_, PointerType) else None
    is_text = isinstance(target, IntegerType) and target.bits == CHAR.bits
    return isinstance(target, IntegerType | FloatType) and not is_text


def passes_other_numbers(program: CProgram, function: Function) -> str:
    """A call that passes something else than the addresses of different variables for numbers; empty if none does."""
    places = [i for i, type_ in enumerate(function.type.parameters) if points_to_number(type_)]
    for operation in program.operations if places else ():
        match operation:
            case Call(place, name, arguments) if name == function.name:
                passed = [without_casts(arguments[i]) for i in places]
                variables = [p.target for p in passed if isinstance(p, AddressOf) and isinstance(p.target, Variable)]
                if len(set(variables)) < len(places):
                    return f"{place}: it does not get the addresses of different variables here"
    nodes = (node for operation in program.operations for x in expressions(operation) for node in walk(x))
    if places and any(isinstance(n, FunctionAddress) and n.name == function.name for n in nodes):
        return "it may be called through a pointer, with addresses that are not those of variables"
    return ""


def changes_more(operation: Operation, modifies: Collection[str], links: Collection[str], *, own: bool) -> str:
    """The place that an operation changes and `modifies` does not list.

    The analysis checks pointer fields itself, and with `own` all fields (see `body`).
    """
    target: Expression | None = None
    match operation:
        case Assign(_, target, _) | Havoc(_, target):
            pass
        case Call(_, _, _, result):
            target = result
        case MemCopy() | MemSet():
            return "whole blocks"
    if target is None or not any(isinstance(part, Deref) for part in walk(target)):
        return ""
    if isinstance(target, Field) and isinstance(target.base, Deref):
        seen = own and isinstance(target.base.pointer, Variable)
        return "" if target.name in (*modifies, *links) or seen else f"the field '{target.name}'"
    return f"{target}"


@dataclass
class FormulasBuilder(PartsBuilder):
    """Builds an automaton for a contract in formulas; `concrete` is for exact exploration."""

    specification: Specification | None = None
    concrete: bool = False

    def stand_in(self) -> Function:
        """A function with the effect of the contract, or a call of the function after a check."""
        parameters = tuple(Variable(p.name, p.type) for p in self.function.parameters)
        self.values = {p.name: p for p in parameters}
        self._require(self._numbers(self.contract.requires.comparisons))
        given = tuple(p for p in parameters if isinstance(p.type, PointerType) and not points_to_number(p.type))
        for p in parameters if not self.concrete else ():
            if isinstance(p.type, PointerType) and p not in given:
                self._emit(Havoc(self.place, Deref(p, p.type.target)))
                self._emit(Assign(self.place, p, Constant(0, p.type)))  # what it led to is no block of the contract
        self._specify("requires", given)
        type_ = self.function.type.result
        result = None if isinstance(type_, VoidType) else self._fresh("$result", type_)
        if self.concrete:
            self._emit(Call(self.place, self.function.name, parameters, result))
        else:
            self._specify("changes", given, (result,) if result and isinstance(type_, PointerType) else ())
            if result is not None:
                self.values[RESULT] = result
                if not isinstance(type_, PointerType):
                    self._emit(Havoc(self.place, result))
            for compared in self._numbers(self.contract.ensures.comparisons):
                self._only_if(self._condition(compared))
        self._emit_to(Return(self.place, result), self.exit)
        return self._build(parameters, type_)

    def body(self) -> Function:
        """The body with `requires` before, and `ensures` after."""
        function = self.function
        olds = [self._fresh(f"$old_{p}", p.type) for p in function.parameters]
        self.values = {p.name: own for p, own in zip(function.parameters, olds, strict=True)}
        pointers = tuple(v for v in olds if isinstance(v.type, PointerType) and not points_to_number(v.type))
        kept: tuple[Variable, ...] = ()
        if self.concrete and pointers:
            kept = (self._fresh("before", ArrayType(pointers[0].type, SNAPSHOT)),)
        self._specify("given", (), (*pointers, *kept))
        for own in olds:
            if not isinstance(own.type, PointerType):
                self._emit(Havoc(self.place, own))
            elif own not in pointers:
                number = self._fresh("$number", own.type.target)
                self._emit(Havoc(self.place, number))
                self._emit(Assign(self.place, own, AddressOf(number, own.type)))
        for compared in self._numbers(self.contract.requires.comparisons):
            self._only_if(self._condition(compared))
        for parameter, own in zip(function.parameters, olds, strict=True):
            self._emit(DeclareLocal(self.place, parameter))
            self._emit(Assign(self.place, parameter, own))
        self._emit_to(Skip(self.place), self._within(function.cfa.entry))
        for edge in self._copied_edges():
            if isinstance(edge.label, Return):
                self.here = edge.source
                self._leave(edge.label, pointers, kept)
            elif (pointer := self._unlisted_pointer(edge.label)) is not None:
                self.here = edge.source
                self.place = replace(edge.label.place, function=self.place.function)
                self._specify("fresh", (pointer, *kept))
                self._emit_to(edge.label, edge.target)
            else:
                self.edges.append(edge)
        self.locals = [*function.parameters, *function.locals, *self.locals]
        return self._build((), INT)

    def _unlisted_pointer(self, operation: Operation) -> Variable | None:
        """The pointer whose block gets a change that `modifies` does not list: the block must be new."""
        assert self.specification is not None
        listed = {*self.specification.modifies, *self.specification.words.fields}
        match operation:
            case Assign(_, Field(base=Deref(pointer=Variable() as pointer), name=name)) if name not in listed:
                return pointer
            case Havoc(_, Field(base=Deref(pointer=Variable() as pointer), name=name)) if name not in listed:
                return pointer
        return None

    def _leave(self, operation: Return, pointers: tuple[Variable, ...], kept: tuple[Variable, ...]) -> None:
        """A return: the postcondition is checked when the variables of the function are gone."""
        self.place = replace(operation.place, function=self.place.function)
        assert self.specification is not None
        comparisons = self._numbers(self.contract.ensures.comparisons)
        if operation.value is not None:
            result = self._fresh("$result", self.function.type.result)
            self.values[RESULT] = result
            self._emit(Assign(operation.place, result, convert_value(operation.value, result)))
        elif self.specification.returns or any(RESULT in (c.left, c.right) for c in comparisons):
            self._emit_to(Unsupported(self.place, "no value is returned, but the contract names \\result"), self.exit)
            return
        self._emit(EndScope(operation.place, (*self.function.parameters, *self.function.locals)))
        for own in self.values.values():
            if points_to_number(own.type):
                self._emit(Assign(self.place, own, Constant(0, own.type)))
        self._require(comparisons)
        returned = (self.values[RESULT],) if self.specification.returns else ()
        self._specify("ensures", (*pointers, *returned, *kept))
        self._emit_to(Exit(self.place, None), self.exit)  # the caller owns the remaining blocks

    def _numbers(self, comparisons: tuple[Compared, ...]) -> list[Compared]:
        """The comparisons of numbers: those of pointers are formulas."""
        return [c for c in comparisons if c.right != "NULL"]

    def _specify(self, role: str, arguments: tuple[Variable, ...], targets: tuple[Variable, ...] = ()) -> None:
        records = records_of(self.program, self.function)
        self._emit(Specified(self.place, role, self.specification, arguments, targets, records))
