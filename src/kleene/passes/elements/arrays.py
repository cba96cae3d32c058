"""Arrays of pointers that are variables, as blocks of the stack: then they become lists of slots as blocks do.

These are local arrays, and global ones whose index is copied or moved through other variables, as in
``stack[top++] = p``. Other global arrays become lists in `passes/elements/global_arrays.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import replace

from kleene.cfa.expressions import (
    AddressOf,
    Binary,
    Cast,
    Constant,
    Deref,
    Expression,
    Index,
    PointerOffset,
    Variable,
    children,
    walk,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    DeclareLocal,
    EndScope,
    Free,
    Operation,
    Place,
    Skip,
    expressions,
)
from kleene.cfa.program import CProgram, Function
from kleene.cfa.types import ArrayType, IntegerType, PointerType
from kleene.passes.elements.chosen import bare
from kleene.passes.elements.rewritten import with_element_lists
from kleene.passes.elements.zeros import with_zeroed_arrays
from kleene.passes.facts.memory import constant_of
from kleene.passes.indices import growing_elements, has_pointers, most_elements
from kleene.passes.rewrite import Choice, expand_edges, operations_of, rewrite_operation


def with_array_blocks(program: CProgram) -> CProgram:
    """The program with blocks in the place of its large arrays of pointers that are only indexed."""
    if set(program.functions) != {program.entry}:
        return program
    arrays = {v: _Array(program, v) for v in _arrays(program, _is_moved)}
    if not arrays:
        return program
    lists = with_element_lists(_as_blocks(program, arrays), on_stack=True)
    left = any(_makes_block(e.label, arrays.values()) for e in lists.main.cfa.edges)
    return program if left else lists


def with_all_array_blocks(program: CProgram) -> CProgram:
    """The program with blocks in the place of all its large arrays of pointers, which do not become lists here."""
    arrays = {v: _Array(program, v) for v in _arrays(program, lambda array, operations: True)}
    return _as_blocks(program, arrays) if arrays else program


def _as_blocks(program: CProgram, arrays: dict[Variable, _Array]) -> CProgram:
    zeroed = with_zeroed_arrays(program, program.main.cfa, lambda array: array in arrays)
    others = [g for g in program.globals if g.variable not in arrays]
    late = {g.variable: tuple(o for o in g.initial if not arrays.keys().isdisjoint(walk(o.value))) for g in others}
    cfa = _Coder(program, zeroed, arrays).run([o for own in late.values() for o in own])
    new = [v for a in arrays.values() for v in (a.pointer, a.length)]
    main = replace(program.main, cfa=cfa, locals=(*program.main.locals, *new))
    kept = tuple(replace(g, initial=tuple(o for o in g.initial if o not in late[g.variable])) for g in others)
    return replace(program, functions={main.name: main}, globals=kept)


def _makes_block(operation: Operation, arrays: Iterable[_Array]) -> bool:
    """Whether an operation makes the block of an array, which has not become a list."""
    return isinstance(operation, Allocate) and any(operation.size == array.size for array in arrays)


def _arrays(program: CProgram, chooses: Callable[[Variable, list[Operation]], bool]) -> list[Variable]:
    """The large arrays of pointers that are only indexed, or used as pointers; of global ones, the chosen."""
    operations = operations_of(program)
    candidates = [g.variable for g in program.globals if not (g.external or g.initial or g.constant)]
    candidates = [v for v in candidates if chooses(v, operations)]
    candidates += [o.variable for o in operations if isinstance(o, DeclareLocal)]
    large = [v for v in dict.fromkeys(candidates) if _is_large(v, program)]
    if not large:
        return []
    uses = [x for o in operations if not isinstance(o, DeclareLocal | EndScope) for x in expressions(o)]
    whole = {v for x in uses for v in _other_uses(x)}
    nodes = [n for x in uses for n in walk(x)]
    moved = {n.base for n in nodes if isinstance(n, Index) and constant_of(n.index) is None}
    moved |= {n.target for n in nodes if isinstance(n, AddressOf)}
    return [v for v in large if v not in whole and v in moved]


def _other_uses(expression: Expression) -> Iterator[Variable]:
    """The variables in an expression that are neither indexed nor used as a pointer to their first element."""
    match expression:
        case AddressOf(target=Variable()):
            return
        case Variable():
            yield expression
        case Index(base=Variable(), index=index):
            yield from _other_uses(index)
        case _:
            for child in children(expression):
                yield from _other_uses(child)


def _is_large(variable: Variable, program: CProgram) -> bool:
    type_ = variable.type
    if (
        not isinstance(type_, ArrayType)
        or type_.count <= most_elements(program)
        or isinstance(type_.element, ArrayType)
    ):
        return False
    return has_pointers(type_, program)


def _is_moved(array: Variable, operations: list[Operation]) -> bool:
    """Whether an index of an array gets its value from another variable, or from one that is decremented.

    Or whether the array is used as a pointer.
    """
    nodes = [n for o in operations for x in expressions(o) for n in walk(x)]
    if any(isinstance(n, AddressOf) and n.target == array for n in nodes):
        return True
    indices = {bare(n.index) for n in nodes if isinstance(n, Index) and n.base == array}
    for operation in operations:
        if isinstance(operation, Assign) and operation.target in indices:
            value = bare(operation.value)
            if isinstance(value, Variable):
                return True
            if (
                isinstance(value, Binary)
                and isinstance(bare(value.left), Variable)
                and (value.operator == "-" or (value.operator == "+" and bare(value.left) != operation.target))
            ):
                return True
    return False


def with_block_lengths(program: CProgram) -> CProgram:
    """The program with a variable for the length of each array of pointers on the heap that has a constant one.

    Also of each small one that grows. Then it becomes a list as an array of any length does.
    """
    scales = {
        n.scale
        for x in (x for o in operations_of(program) for x in expressions(o))
        for n in walk(x)
        if isinstance(n, PointerOffset) and constant_of(n.index) is None
    }
    if not scales:
        return program
    growing = growing_elements(program)

    def lengthen(function: Function) -> Function:
        word = IntegerType(program.pointer_size * 8, signed=False, name="unsigned long")
        new: list[Variable] = []

        def expand(edge: Edge[Operation]) -> list[Choice] | None:
            label = edge.label
            count = _constant_count(label, program, scales)
            if not isinstance(label, Allocate) or label.element is None or not count:
                return None
            if count <= most_elements(program) and label.element not in growing:
                return None
            length = Variable(f"$length{len(new) + 1}", word)
            new.append(length)
            size = Binary("*", length, Constant(label.element.size, word), word)
            return [Choice(None, (Assign(label.place, length, Constant(count, word)), replace(label, size=size)))]

        cfa = expand_edges(function.cfa, expand, " length ")
        return replace(function, cfa=cfa, locals=(*function.locals, *new)) if new else function

    return replace(program, functions={name: lengthen(f) for name, f in program.functions.items()})


def _constant_count(operation: Operation, program: CProgram, scales: Set[int]) -> int | None:
    """The number of elements of an array of pointers on the heap, if it is constant."""
    if not isinstance(operation, Allocate) or operation.stack or operation.element is None:
        return None
    size, each = constant_of(operation.size), operation.element.size
    if size is None or each not in scales or size % each or not has_pointers(operation.element, program):
        return None
    return size // each


class _Array:
    """An array, and the pointer to its block."""

    def __init__(self, program: CProgram, variable: Variable) -> None:
        type_ = variable.type
        assert isinstance(type_, ArrayType)
        word = IntegerType(program.pointer_size * 8, signed=False, name="unsigned long")
        self.element, self.zeroed = type_.element, variable.is_global
        self.pointer = Variable(f"{variable}[]", PointerType(type_.element, program.pointer_size, type_.count))
        self.length = Variable(f"{variable}[length]", word)
        self.count = Constant(type_.count, word)
        self.size = Binary("*", self.length, Constant(type_.element.size, word), word)

    def allocation(self, place: Place) -> tuple[Operation, Operation]:
        block = Allocate(place, self.pointer, self.size, self.element, zeroed=self.zeroed, may_fail=False, stack=True)
        return Assign(place, self.length, self.count), block


class _Coder:
    """Rewrites one automaton."""

    def __init__(self, program: CProgram, cfa: Cfa[Operation], arrays: dict[Variable, _Array]) -> None:
        self.program, self.cfa, self.arrays = program, cfa, arrays
        self.edges: list[Edge[Operation]] = []
        self.fresh = 0

    def run(self, late: Iterable[Assign]) -> Cfa[Operation]:
        """The automaton; `late` gives variables their initial values that are addresses in blocks."""
        place = replace(self.cfa.leaving(self.cfa.entry)[0].label.place, function=self.program.entry)
        entry = here = "array blocks"
        for array in self.arrays.values():
            if array.zeroed:
                here = self._make(here, array, place)
        here = self._chain(here, [rewrite_operation(replace(o, place=place), self._element) for o in late])
        self.edges.append(Edge(here, Skip(place), self.cfa.entry))
        for edge in self.cfa.edges:
            self._edge(edge)
        return Cfa(entry, tuple(self.edges))

    def _make(self, here: str, array: _Array, place: Place) -> str:
        return self._chain(here, array.allocation(place))

    def _chain(self, here: str, operations: Iterable[Operation]) -> str:
        for operation in operations:
            self.fresh += 1
            self.edges.append(Edge(here, operation, f"array blocks {self.fresh}"))
            here = f"array blocks {self.fresh}"
        return here

    def _edge(self, edge: Edge[Operation]) -> None:
        label = edge.label
        if isinstance(label, DeclareLocal) and label.variable in self.arrays:
            here = self._make(
                edge.source, self.arrays[label.variable], replace(label.place, function=self.program.entry)
            )
            self.edges.append(Edge(here, Skip(label.place), edge.target))
        elif isinstance(label, EndScope):
            kept = tuple(v for v in label.variables if v not in self.arrays)
            ended = [array for a, array in self.arrays.items() if a in label.variables]
            gone = [v for array in ended for v in (array.pointer, array.length)]
            here = self._chain(edge.source, [Free(label.place, array.pointer, stack=True) for array in ended])
            self.edges.append(Edge(here, replace(label, variables=(*kept, *gone)), edge.target))
        else:
            self.edges.append(replace(edge, label=rewrite_operation(label, self._element)))

    def _element(self, node: Expression) -> Expression:
        if isinstance(node, AddressOf) and isinstance(node.target, Variable) and node.target in self.arrays:
            pointer = self.arrays[node.target].pointer
            return pointer if pointer.type == node.type else Cast(pointer, node.type)
        if not isinstance(node, Index) or not isinstance(node.base, Variable) or node.base not in self.arrays:
            return node
        array = self.arrays[node.base]
        moved = PointerOffset(array.pointer, node.index, array.element.size, array.pointer.type)
        return Deref(moved, node.type)
