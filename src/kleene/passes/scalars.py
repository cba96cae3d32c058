"""Structs and arrays whose address is never taken become one variable for each of their scalars.

A queue in a struct with its two ends, or a table of lists, need not be an object in memory then: its members are
pointer variables, with the predicates and the precision of such.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from kleene.cfa.expressions import (
    AddressOf,
    Cast,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    PointerOffset,
    Variable,
    children,
    root_variable,
    walk,
    without_casts,
)
from kleene.cfa.graph import Edge
from kleene.cfa.operations import Assign, DeclareLocal, EndScope, MemSet, Operation, Place, Print, Skip, expressions
from kleene.cfa.program import CProgram, Function, Global
from kleene.cfa.types import CHAR, ArrayType, FloatType, IntegerType, PointerType, RecordType, Type
from kleene.passes.facts.liveness import defined_variables
from kleene.passes.facts.memory import constant_of
from kleene.passes.literals import is_literal
from kleene.passes.pointers.function_values import scalar_type
from kleene.passes.rewrite import Choice, expand_edges, operations_of, rewrite_operation

MAX_SCALARS = 32
"""Larger structs and arrays stay as they are."""
_FIXED = "$copied "
"""Prefix of the variables that hold the address of a struct while its parts are copied."""


@dataclass(frozen=True)
class Part:
    """A scalar of a struct or array: the steps that lead to it, with its type."""

    offset: int
    type: Type
    path: tuple[Field | Index, ...]

    def of(self, whole: Expression) -> Expression:
        """This part of an lvalue."""
        for step in self.path:
            whole = replace(step, base=whole)
        return whole

    @property
    def name(self) -> str:
        return "".join(f".{s.name}" if isinstance(s, Field) else f"[{s.index}]" for s in self.path)


def parts_of(type_: Type, program: CProgram) -> list[Part] | None:
    """The scalars of a type, in order; None if they overlap, or are too many, or are not known."""
    parts = _parts(type_, program, 0, ())
    if parts is None or len(parts) > MAX_SCALARS:
        return None
    parts.sort(key=lambda part: part.offset)
    ends = [part.offset + part.type.size for part in parts]
    return parts if all(end <= part.offset for end, part in zip(ends, parts[1:], strict=False)) else None


def _parts(type_: Type, program: CProgram, offset: int, path: tuple[Field | Index, ...]) -> list[Part] | None:
    nowhere = Constant(0, type_)  # replaced by `Part.of`
    if isinstance(type_, RecordType):
        layout = program.records.get(type_.name)
        if layout is None or layout.union or any(f.bit_width is not None for f in layout.fields):
            return None
        inner = [
            _parts(f.type, program, offset + f.offset, (*path, Field(nowhere, f.name, f.type, f.offset)))
            for f in layout.fields
        ]
    elif isinstance(type_, ArrayType):
        if not 0 < type_.count <= MAX_SCALARS:
            return None
        number = IntegerType(64, signed=True, name="long")
        size = type_.element.size
        inner = [
            _parts(
                type_.element,
                program,
                offset + k * size,
                (*path, Index(nowhere, Constant(k, number), type_.element)),
            )
            for k in range(type_.count)
        ]
    else:
        scalar = scalar_type(type_, program.pointer_size)
        if not isinstance(scalar, IntegerType | FloatType | PointerType):
            return None
        last = (*path[:-1], replace(path[-1], type=scalar)) if path else ()
        return [Part(offset, scalar, last)]
    if any(parts is None for parts in inner):
        return None
    return [part for parts in inner if parts is not None for part in parts]


def with_scalars(program: CProgram) -> CProgram:
    """The program with structs and arrays split into variables, if they are never used as a whole."""
    functions = {name: _split_locals(program, f) for name, f in program.functions.items()}
    program = replace(program, functions=functions)
    owned = _splittable([g.variable for g in program.globals if not g.external], operations_of(program), program)
    if not owned:
        return program
    splitter = _Splitter(program, owned)
    functions = {name: splitter.function(f, f.locals) for name, f in program.functions.items()}
    return replace(program, functions=functions, globals=tuple(splitter.globals()))


def _split_locals(program: CProgram, function: Function) -> Function:
    operations = [e.label for e in function.cfa.edges]
    owned = _splittable([v for v in function.locals if v not in function.parameters], operations, program)
    if not owned:
        return function
    splitter = _Splitter(program, owned)
    return splitter.function(function, [part for v in function.locals for part in splitter.variables(v)])


Parts = dict[Variable, list[Part]]


def _splittable(variables: Iterable[Variable], operations: Iterable[Operation], program: CProgram) -> Parts:
    """The structs and arrays that are only used part by part, or copied, declared or zeroed as a whole."""
    candidates: Parts = {}
    for variable in variables:
        if isinstance(variable.type, RecordType | ArrayType) and not is_literal(variable):
            parts = parts_of(variable.type, program)
            if parts:
                candidates[variable] = parts
    known = list(operations) if candidates else []
    kept = {v for operation in known for v in _kept_whole(operation, candidates)}
    nodes = [n for operation in known for x in expressions(operation) for n in walk(x)]
    if any(isinstance(n, PointerOffset) for n in nodes):  # from the address of a part others can be reached
        kept |= _roots(n.target for n in nodes if isinstance(n, AddressOf))
    elements = (n.target for n in nodes if isinstance(n, AddressOf))  # from one element the others can be reached
    kept |= _roots(element.base for element in elements if isinstance(element, Index))
    kept |= _roots(wider.target for wider in map(_address_of_more, nodes) if wider is not None)
    return {v: parts for v, parts in candidates.items() if v not in kept}


def _address_of_more(expression: Expression) -> AddressOf | None:
    """The address of a part that is cast to a pointer to something larger: what follows the part is used by it, too.

    Lists whose head is a struct of three pointers have such addresses: its last two are used as a node.
    """
    match expression:
        case Cast(type=PointerType(target=target)):
            address = without_casts(expression)
            if isinstance(address, AddressOf) and target.size > address.target.type.size:
                return address
    return None


def _roots(lvalues: Iterable[Expression]) -> set[Variable]:
    """The variables that contain some lvalues."""
    return {root for lvalue in lvalues if isinstance(root := _root(lvalue)[0], Variable)}


def _kept_whole(operation: Operation, candidates: Parts) -> list[Variable]:
    """The candidates that an operation needs whole."""
    match operation:
        case DeclareLocal() | EndScope():
            return []
        case Assign(target=target, value=value) if isinstance(target.type, RecordType):
            return [v for side in (target, value) for v in _uses(side, candidates, whole=True)]
        case MemSet() if _zeroed_lvalue(operation) is not None:
            return _uses(_zeroed_lvalue(operation) or operation.pointer, candidates, whole=True)
    return [v for expression in expressions(operation) for v in _uses(expression, candidates, whole=False)]


def _uses(expression: Expression, candidates: Parts, *, whole: bool) -> list[Variable]:
    """The candidates in an expression that are used otherwise than by a constant path to a scalar (or to a record)."""
    root, offset = _root(expression)
    if isinstance(root, Variable):
        if root not in candidates or (root is expression and whole):
            return []
        if isinstance(expression.type, RecordType) and whole:
            return []
        parts = [p for p in candidates[root] if p.offset == offset and p.type == expression.type]
        return [] if parts and root is not expression else [root]
    return [v for child in children(expression) for v in _uses(child, candidates, whole=False)]


def _root(expression: Expression) -> tuple[Expression, int]:
    """The object that contains an lvalue (by members and constant indices), and the offset of the lvalue in it."""
    offset = 0
    inner = expression
    while isinstance(inner, Field | Index):
        if isinstance(inner, Field):
            if inner.bit_width is not None:
                return expression, 0
            offset += inner.offset
        else:
            number = constant_of(inner.index)
            if number is None:
                return expression, 0
            offset += number * inner.type.size
        inner = inner.base
    return (inner, offset) if isinstance(inner, Variable) else (expression, 0)


def _zeroed_lvalue(operation: MemSet) -> Expression | None:
    """The lvalue that a memset fills with zeros as a whole."""
    pointer: Expression = operation.pointer
    while isinstance(pointer, Cast):
        pointer = pointer.operand
    if not isinstance(pointer, AddressOf) or constant_of(operation.value) != 0:
        return None
    target = pointer.target
    return target if constant_of(operation.size) == target.type.size else None


@dataclass(frozen=True)
class _Splitter:
    program: CProgram
    owned: Parts

    def variables(self, variable: Variable) -> list[Variable]:
        """The variables that stand for one."""
        parts = self.owned.get(variable)
        if parts is None:
            return [variable]
        return [Variable(variable.name + part.name, part.type, variable.is_global) for part in parts]

    def globals(self) -> Iterable[Global]:
        for item in self.program.globals:
            initial: list[Assign] = []
            for assignment in item.initial:
                for operation in self._operations(assignment) or [assignment]:
                    assert isinstance(operation, Assign)
                    initial.append(operation)
            names = self.variables(item.variable)
            assert all(root_variable(a.target) in names for a in initial)
            for name in names:
                yield replace(item, variable=name, initial=tuple(a for a in initial if root_variable(a.target) == name))

    def function(self, function: Function, names: Iterable[Variable]) -> Function:
        """The function over the new variables; `names` are its locals."""

        def expand(edge: Edge[Operation]) -> list[Choice] | None:
            operations = self._operations(edge.label)
            return None if operations is None else [Choice(None, tuple(operations))]

        cfa = expand_edges(function.cfa, expand, "%")
        fixed = {v: None for e in cfa.edges for v in defined_variables(e.label) if v.name.startswith(_FIXED)}
        return replace(function, cfa=cfa, locals=tuple(dict.fromkeys((*names, *fixed))))

    def _operations(self, operation: Operation) -> list[Operation] | None:
        """The operations that replace an operation; None if it stays."""
        place = operation.place
        match operation:
            case DeclareLocal(variable=variable):
                if variable not in self.owned:
                    return None
                return [DeclareLocal(place, name) for name in self.variables(variable)]
            case EndScope(variables=variables):
                names = [name for variable in variables for name in self.variables(variable)]
                return [EndScope(place, tuple(names))]
            case Assign(target=target, value=value) if isinstance(target.type, RecordType):
                if not (self._owns(target) or self._owns(value)):
                    return [self._rewritten(operation)]
                before: list[Operation] = []
                target, value = (self._fix(side, operation, before) for side in (target, value))
                parts = parts_of(target.type, self.program) or []
                copies = [self._rewritten(Assign(place, p.of(target), p.of(value))) for p in parts]
                return [*before, *self._padding([target, value], parts, place), *copies] or [Skip(place)]
            case MemSet() if (zeroed := _zeroed_lvalue(operation)) is not None and self._owns(zeroed):
                parts = parts_of(zeroed.type, self.program) or []
                return [self._rewritten(Assign(place, p.of(zeroed), _zero(p.type))) for p in parts] or [Skip(place)]
        return [self._rewritten(operation)]

    def _padding(self, sides: Iterable[Expression], parts: Iterable[Part], place: Place) -> list[Operation]:
        """A copy accesses the bytes behind the last part too: a block may be too small for them."""
        end = max((part.offset + part.type.size for part in parts), default=0)
        behind = [
            Field(side, "padding", CHAR, side.type.size - 1)
            for side in sides
            if end < side.type.size and not isinstance(_root(side)[0], Variable)
        ]
        return [self._rewritten(Print(place, None, (byte,))) for byte in behind]

    def _fix(self, lvalue: Expression, operation: Operation, before: list[Operation]) -> Expression:
        """The lvalue with the pointer and the indices in it computed once, `before` the parts are assigned.

        A part may be an operand of their computation: ``s = *s.next``.
        """
        match lvalue:
            case Field(base=base):
                return replace(lvalue, base=self._fix(base, operation, before))
            case Index(base=base, index=index):
                fixed = self._fix(base, operation, before)
                return replace(lvalue, base=fixed, index=self._once(index, operation, before))
            case Deref(pointer=pointer):
                return replace(lvalue, pointer=self._once(pointer, operation, before))
        return lvalue

    def _once(self, value: Expression, operation: Operation, before: list[Operation]) -> Expression:
        if isinstance(value, Variable) or constant_of(value) is not None:
            return value
        kind = "index" if isinstance(value.type, IntegerType) else "pointer"
        variable = Variable(f"{_FIXED}{kind} {value.type}{len(before)}", value.type)
        before.append(self._rewritten(Assign(operation.place, variable, value)))
        return variable

    def _owns(self, lvalue: Expression) -> bool:
        return _root(lvalue)[0] in self.owned

    def _rewritten(self, operation: Operation) -> Operation:
        return rewrite_operation(operation, self._scalar)

    def _scalar(self, node: Expression) -> Expression:
        root, offset = _root(node)
        if not isinstance(root, Variable) or root is node or root not in self.owned:
            return node
        for part, name in zip(self.owned[root], self.variables(root), strict=True):
            if part.offset == offset and part.type == node.type:
                return name
        return node


def _zero(type_: Type) -> Expression:
    return Constant(0, type_)
