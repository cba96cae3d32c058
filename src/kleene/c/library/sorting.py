"""`qsort` of elements of one type: the model of the library sorts bytes, and a copy of it for each type moves elements.

In ``qsort(people, n, sizeof *people, by_name)`` the type of the elements is known, and so is their size. Each call gets
a copy of the model in which a pointer to bytes is one to elements: ``start + j * size`` is ``start + j``, and the bytes
of two elements are exchanged by three assignments. No analysis has to find out then what the bytes are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kleene.cfa.expressions import Binary, Cast, Constant, Deref, Expression, PointerOffset, Variable
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Call, DeclareLocal, EndScope, Operation
from kleene.cfa.program import CProgram, Function
from kleene.cfa.types import PointerType, RecordType, Type, is_scalar

SORTS = ("qsort", "qsort_r")
SWAP = "__kleene_swap"
"""The function of the models that exchanges the bytes of two elements."""


def with_typed_sorts(program: CProgram) -> CProgram:
    """The program with a sorting function for each type of elements, where calls tell it."""
    models = {name for name in SORTS if name in program.functions}
    models -= {name for name in models if program.functions[name].place.file not in program.library}
    copies: dict[tuple[str, Type], Function] = {}

    def call(label: Operation) -> Operation:
        if not isinstance(label, Call) or label.function not in models:
            return label
        assert isinstance(label.function, str)
        element = _element_of(label)
        if element is None:
            return label
        known = copies.get((label.function, element))
        if known is None:
            name = f"__kleene_{label.function}_{len(copies) + 1}"
            known = copies[label.function, element] = _Sort(program.functions[label.function], name, element).copy()
        return replace(label, function=known.name)

    functions = {}
    for name, function in program.functions.items():
        edges = tuple(replace(e, label=call(e.label)) for e in function.cfa.edges)
        functions[name] = replace(function, cfa=Cfa(function.cfa.entry, edges))
    if not copies:
        return program
    return replace(program, functions=functions | {f.name: f for f in copies.values()})


def _element_of(call: Call) -> Type | None:
    """The type of the elements that are sorted, if their size is that of the type to which the array points."""
    array, size = _bare(call.arguments[0]), _bare(call.arguments[2])
    element = array.type.target if isinstance(array.type, PointerType) else None
    if element is None or not (is_scalar(element) or isinstance(element, RecordType)):
        return None
    return element if isinstance(size, Constant) and size.value == element.size > 1 else None


def _bare(value: Expression) -> Expression:
    while isinstance(value, Cast):
        value = value.operand
    return value


@dataclass
class _Sort:
    """A copy of a sorting function, for elements of one type."""

    model: Function
    name: str
    element: Type

    def copy(self) -> Function:
        edges = tuple(new for edge in self.model.cfa.edges for new in self._edges(edge))
        variables = (*(v for v in self.model.locals if v != self._bytes), self._start, self._kept)
        cfa = Cfa(self._location(self.model.cfa.entry), edges)
        return replace(self.model, name=self.name, locals=variables, cfa=cfa, exit=self._location(self.model.exit))

    @property
    def _bytes(self) -> Variable:
        """The pointer to the first element in the model, as one to bytes."""
        base = self.model.parameters[0]
        labels = (e.label for e in self.model.cfa.edges)
        return next(o.target for o in labels if isinstance(o, Assign) and _bare(o.value) == base)  # type: ignore[return-value]

    @property
    def _start(self) -> Variable:
        pointer = self._bytes
        return replace(pointer, type=PointerType(self.element, pointer.type.size))

    @property
    def _kept(self) -> Variable:
        return Variable("kept", self.element)

    def _location(self, name: str) -> str:
        return self.name + name.removeprefix(self.model.name)

    def _edges(self, edge: Edge[Operation]) -> Iterator[Edge[Operation]]:
        here, last = self._location(edge.source), self._location(edge.target)
        operations = tuple(self._operations(edge.label))
        for number, operation in enumerate(operations, 1):
            there = last if number == len(operations) else f"{here}.{number}"
            yield Edge(here, operation, there)
            here = there

    def _operations(self, label: Operation) -> Iterator[Operation]:
        start, kept = self._start, self._kept
        match label:
            case DeclareLocal(variable=variable) if variable == self._bytes:
                yield replace(label, variable=start)
            case EndScope(variables=variables):
                yield replace(label, variables=tuple(start if v == self._bytes else v for v in variables))
            case Assign(target=target, value=value) if target == self._bytes:
                yield replace(label, target=start, value=Cast(_bare(value), start.type))
            case Call(function=function) if function == SWAP:
                one, two = (Deref(self._moved(a), self.element) for a in label.arguments[:2])
                yield DeclareLocal(label.place, kept)
                for target, value in ((kept, one), (one, two), (two, kept)):
                    yield Assign(label.place, target, value)
                yield EndScope(label.place, (kept,))
            case Call(arguments=(first, second, *others)):
                pair = (Cast(self._moved(a), a.type) for a in (first, second))
                yield replace(label, arguments=(*pair, *others))
            case _:
                yield label

    def _moved(self, pointer: Expression) -> PointerOffset:
        """The pointer to an element by its index, from the one by its bytes: ``start + j`` for ``start + j * size``."""
        inner = _bare(pointer)
        assert isinstance(inner, PointerOffset)
        product = _bare(inner.index)
        assert inner.pointer == self._bytes
        assert isinstance(product, Binary)
        assert _bare(product.right) == self.model.parameters[2]
        return PointerOffset(self._start, product.left, self.element.size, self._start.type)
