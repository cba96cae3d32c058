"""Which types of pointers may hold the same values: those that casts, copies of bytes and unions lead between.

(Unification of types as by Steensgaard. Points-to analysis in almost linear time. POPL 1996; here of declared types in
place of variables.) Members at the same offset of types of one kind are of one kind as well, since memory that is
written through the one may be read through the other.
"""

from __future__ import annotations

from collections.abc import Iterator

from kleene.cfa.expressions import AddressOf, Cast, Constant, Expression, walk, without_casts
from kleene.cfa.operations import Assign, Call, Free, MemCopy, MemSet, Operation, Return, expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import ArrayType, PointerType, RecordType, Type
from kleene.passes.facts.memory import Unmodelled, constant_of, leaves
from kleene.passes.rewrite import operations_of


class Kinds:
    """The kinds of the targets of pointers in a program."""

    def __init__(self, program: CProgram) -> None:
        self._program = program
        self._parent: dict[Type, Type] = {}
        for operation in operations_of(program):
            for value in (node for x in expressions(operation) for node in walk(x)):
                self._find(value.type.target if isinstance(value.type, PointerType) else value.type)
            for first, second in _equal_types(operation, program):
                self._unite(first, second)
        for function in program.functions.values():
            for edge in function.cfa.edges:
                if isinstance(edge.label, Return) and edge.label.value is not None:
                    self._unite_pointers(edge.label.value.type, function.type.result)
        while self._unite_members():
            pass

    def of(self, type_: Type) -> frozenset[Type]:
        """The types of one kind with a type, itself included."""
        root = self._find(type_)
        return frozenset(t for t in [*self._parent] if self._find(t) == root)

    def _find(self, type_: Type) -> Type:
        root = type_
        while (above := self._parent.setdefault(root, root)) != root:
            root = above
        self._parent[type_] = root
        return root

    def _unite(self, first: Type, second: Type) -> bool:
        one, other = self._find(first), self._find(second)
        self._parent[one] = other
        return one != other

    def _unite_pointers(self, first: Type, second: Type) -> bool:
        both = isinstance(first, PointerType) and isinstance(second, PointerType)
        return both and self._unite(first.target, second.target)  # type: ignore[union-attr]

    def _unite_members(self) -> bool:
        """Pointers at the same offset of types of one kind may be one: whether that is news."""
        news = False
        at: dict[tuple[Type, int], Type] = {}
        for type_ in [*self._parent]:
            for offset, target in self._pointers_in(type_):
                known = at.setdefault((self._find(type_), offset), target)
                news |= self._unite(known, target)
        return news

    def _pointers_in(self, type_: Type) -> Iterator[tuple[int, Type]]:
        type_ = _element(type_)
        if isinstance(type_, PointerType):
            yield 0, type_.target
        elif isinstance(type_, RecordType):
            try:
                parts = leaves(type_, self._program)
            except Unmodelled:
                return
            for part in parts:
                if isinstance(part.type, PointerType):
                    yield part.offset, part.type.target


def _element(type_: Type) -> Type:
    while isinstance(type_, ArrayType):
        type_ = type_.element
    return type_


def _equal_types(operation: Operation, program: CProgram) -> Iterator[tuple[Type, Type]]:
    """The targets of pointers that an operation makes equal, or of which it copies bytes."""
    pairs: list[tuple[Expression, Type]] = []
    values = expressions(operation)
    if isinstance(operation, Free | MemCopy | MemSet):  # their parameters are `void *`
        values = tuple(map(without_casts, values))
    for node in (n for x in values for n in walk(x)):
        if isinstance(node, Cast):
            pairs.append((node.operand, node.type))
        if isinstance(node, AddressOf) and isinstance(node.type, PointerType):  # it may stand for `void *`
            yield _element(node.target.type), _element(node.type.target)
    match operation:
        case Assign(target=target, value=value):
            pairs.append((value, target.type))
        case MemCopy(destination=destination, source=source):
            pairs.append((without_casts(source), without_casts(destination).type))
        case Call(function=str() as name, arguments=arguments, result=result) if name in program.functions:
            function = program.functions[name]
            pairs += [(a, p.type) for a, p in zip(arguments, function.parameters, strict=False)]
            pairs += [(result, function.type.result)] if result is not None else []
    for value, type_ in pairs:
        if isinstance(value, Constant) and constant_of(value) == 0:
            continue
        if isinstance(value.type, PointerType) and isinstance(type_, PointerType):
            yield _element(value.type.target), _element(type_.target)
