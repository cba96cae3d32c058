"""Arrays of pointers that are variables, as blocks of the stack: then they become lists of slots as blocks do.

These are local arrays, and global ones whose index is copied or moved through other variables, as in
``stack[top++] = p``. Other global arrays become lists in `passes/elements/global_arrays.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from kleene.cfa.expressions import Binary, Constant, Deref, Expression, Index, PointerOffset, Variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Allocate, Assign, DeclareLocal, EndScope, Free, Operation, Place, Skip, expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import ArrayType, IntegerType, PointerType
from kleene.passes.elements.chosen import bare
from kleene.passes.elements.global_arrays import MOST_ELEMENTS, whole_variables
from kleene.passes.elements.rewritten import with_element_lists
from kleene.passes.indices import has_pointers
from kleene.passes.rewrite import operations_of, rewrite_operation


def with_array_blocks(program: CProgram) -> CProgram:
    """The program with blocks in the place of its large arrays of pointers that are only indexed."""
    if set(program.functions) != {program.entry}:
        return program
    arrays = {v: _Array(program, v) for v in _arrays(program)}
    if not arrays:
        return program
    cfa = _Coder(program, arrays).run()
    new = [v for a in arrays.values() for v in (a.pointer, a.length)]
    main = replace(program.main, cfa=cfa, locals=(*program.main.locals, *new))
    kept = tuple(g for g in program.globals if g.variable not in arrays)
    return with_element_lists(replace(program, functions={main.name: main}, globals=kept), on_stack=True)


def _arrays(program: CProgram) -> list[Variable]:
    operations = operations_of(program)
    candidates = [g.variable for g in program.globals if not (g.external or g.initial or g.constant)]
    candidates = [v for v in candidates if _is_moved(v, operations)]
    candidates += [o.variable for o in operations if isinstance(o, DeclareLocal)]
    large = [v for v in dict.fromkeys(candidates) if _is_large(v, program)]
    if not large:
        return []
    whole = {v for o in operations for x in expressions(o) for v in whole_variables(x)}
    return [v for v in large if v not in whole]


def _is_large(variable: Variable, program: CProgram) -> bool:
    type_ = variable.type
    if not isinstance(type_, ArrayType) or type_.count <= MOST_ELEMENTS or isinstance(type_.element, ArrayType):
        return False
    return has_pointers(type_, program)


def _is_moved(array: Variable, operations: list[Operation]) -> bool:
    """Whether an index of an array gets its value from another variable, or from one that is decremented."""
    nodes = (n for o in operations for x in expressions(o) for n in walk(x))
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

    def __init__(self, program: CProgram, arrays: dict[Variable, _Array]) -> None:
        self.program, self.cfa, self.arrays = program, program.main.cfa, arrays
        self.edges: list[Edge[Operation]] = []
        self.fresh = 0

    def run(self) -> Cfa[Operation]:
        place = replace(self.cfa.leaving(self.cfa.entry)[0].label.place, function=self.program.entry)
        entry = here = "array blocks"
        for array in self.arrays.values():
            if array.zeroed:
                here = self._make(here, array, place)
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
        if not isinstance(node, Index) or not isinstance(node.base, Variable) or node.base not in self.arrays:
            return node
        array = self.arrays[node.base]
        moved = PointerOffset(array.pointer, node.index, array.element.size, array.pointer.type)
        return Deref(moved, node.type)
