"""The invariant of the FESA domain: searches the flags of a state in a graph and a Boolean function.

The function describes one instance of each summary at a time (FESA section 2.2). So each block with pointers from
variables needs a vector of the function: in it the variables have their values, the pointers to the block lead to one
node, and this node has the cells of the block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kleene.cfa.expressions import Variable
from kleene.cfa.types import IntegerType
from kleene.core.domain import Store
from kleene.coverage.numbers import Plain
from kleene.coverage.views import Exchange, KnownVariables, Program, View, number_at, pointer_at, variable_value
from kleene.domains.explicit.memory import Block
from kleene.domains.explicit.values import Pointer, Value
from kleene.domains.fesa.domain import FesaDomain
from kleene.domains.fesa.flags import EXISTS, NOT_NULL, OTHERS, VALUE, Flag, Node, edge
from kleene.domains.fesa.functions import Function
from kleene.domains.fesa.heap import Heap, State
from kleene.passes.facts.integers import Key

Held = dict[int, list[tuple[Variable, int]]]
"""The heap blocks that variables point to, with the variables and the offsets."""


class FesaInvariant:
    """States of the FESA domain, one or a few at each location."""

    looks_closer = False

    def __init__(
        self, program: Program, domain: FesaDomain, stores: Mapping[str, Store[State]], numbers: Plain | None = None
    ) -> None:
        self.program, self.domain, self.stores = program, domain, stores
        self.numbers = numbers or Plain()
        """What the domain follows numbers as."""
        self.transfer = domain.transfer
        self.memory = domain.transfer.memory
        self.known, self.exchange = KnownVariables(self.memory), Exchange(program, self.memory)
        self.states = self.different = 0
        self._elements: dict[str, Sequence[State]] = {}
        self._seen: set[object] = set()

    def empty(self, location: str) -> bool | None:
        return not self._at(location) if location in self.stores else None

    def _at(self, location: str) -> Sequence[State]:
        if location not in self._elements:
            self._elements[location] = [s for s in self.stores[location].elements() if not s.vectors.is_empty()]
        return self._elements[location]

    def closer_looks(self) -> Iterator[tuple[str, str | None]]:
        return iter(())  # the flags of a state have no definitions

    def problem(self, view: View) -> str | None:
        live = self.domain.live.get(view.location, frozenset())
        memory = self.memory
        values = {
            v: self.exchange.of(variable_value(self.program, view, v), v.type)
            for v in (*memory.pointers, *memory.integers)
            if (v.is_global or v in live) and self.known.has(v, view)
        }
        held: Held = {}
        for variable, value in values.items():
            if isinstance(value, Pointer):
                block = view.state.blocks.get(value.block)
                if block is not None and block.kind == "heap" and block.alive:
                    held.setdefault(value.block, []).append((variable, value.offset))
        self.states += 1
        key = (view.location, _key(values, held, view))
        if key in self._seen:
            return None
        self._seen.add(key)
        self.different += 1
        for bound in self.numbers.bounds(self._integers(values, held, view)):
            states = self._at(view.location)
            if not any(self._fits(Heap(s.vectors, self.domain.options), values, held, view, bound) for s in states):
                break
        else:
            return None
        return "; ".join(f"{v} = {_text(value, view)}" for v, value in values.items()) or "no variables"

    def _integers(self, values: Mapping[Variable, Value | None], held: Held, view: View) -> Iterator[tuple[Key, int]]:
        """The numbers of a state of a run that the domain follows."""
        for variable, value in values.items():
            if isinstance(value, int) and isinstance(variable.type, IntegerType):
                yield variable, variable.type.wrap(value)
        for number in held:
            block = view.state.blocks[number]
            for size, offset in self.memory.access_types:
                cell = number_at(self.memory, block, (size, offset)) if int(size) == block.size else None
                if cell is not None:
                    yield offset, cell

    def _fits(self, heap: Heap, values: Mapping[Variable, Value | None], held: Held, view: View, bound: int) -> bool:
        """Whether the state of the domain has the vectors that it needs for a state of a run."""
        space = heap.space
        condition = space.true
        for variable, value in values.items():
            condition = condition & self._variable(heap, variable, value, bound)
        if not heap.possible(condition):
            return False
        for number, pointers in held.items():
            block = view.state.blocks[number]
            nodes = [n for n in heap.heap_nodes() if int(n.size) == block.size]
            some = heap.any_of(self._block(heap, node, block, pointers, bound) for node in nodes)
            some = some | heap.all_of(heap.flag(edge(self.transfer.node(v), 0, OTHERS, 0)) for v, _ in pointers)
            if nodes and not heap.possible(condition & some):  # other nodes may have a least size
                return False
        return True

    def _variable(self, heap: Heap, variable: Variable, value: Value | None, bound: int) -> Function:
        """The condition on the flags of a variable."""
        node = self.transfer.node(variable)
        if isinstance(variable.type, IntegerType):
            number = variable.type.wrap(value) if isinstance(value, int) else None
            return self._number(heap, node, 0, variable, number, bound)
        return self._slot(heap, node, 0, value)

    def _slot(self, heap: Heap, node: Node, slot: int, value: Value | None) -> Function:
        if not heap.options.out_counter or not (value == 0 or isinstance(value, Pointer)):
            return heap.space.true
        flag = heap.flag(Flag(NOT_NULL, node, slot))
        unknown = heap.flag(edge(node, slot, OTHERS, 0))
        return (~flag if value == 0 else flag) | unknown

    def _number(
        self, heap: Heap, node: Node, offset: int, variable: Variable | None, value: int | None, bound: int
    ) -> Function:
        """The condition on the flags of a number: it is one of those by which the domain may represent it."""
        if value is None:
            return heap.space.true
        key: Key = variable if variable is not None else offset
        cases = []
        for chosen in self.numbers.choices(key, value, bound):
            case = heap.space.true
            for c in self.transfer.numbers(node, offset, variable):
                flag = heap.flag(Flag(VALUE, node, offset, None, c))
                case = case & (flag if c == chosen else ~flag)
            cases.append(case)
        return heap.any_of(cases)

    def _block(
        self, heap: Heap, node: Node, block: Block, pointers: Sequence[tuple[Variable, int]], bound: int
    ) -> Function:
        """The condition that some variables point to a node, and that the node has the cells of the block."""
        condition = heap.flag(Flag(EXISTS, node))
        for variable, offset in pointers:
            condition = condition & heap.flag(edge(self.transfer.node(variable), 0, node, offset))
        for slot in self.transfer.slots_of(node.size):
            value = pointer_at(self.memory, block, (node.size, slot), self.exchange)
            condition = condition & self._slot(heap, node, slot, value)
        for offset in self.transfer.constants.cells:
            number = number_at(self.memory, block, (node.size, offset))
            if number is not None:
                condition = condition & self._number(heap, node, offset, None, number, bound)
        return condition


def _key(values: Mapping[Variable, Value | None], held: Held, view: View) -> object:
    """A key that is equal for states with equal flags: it identifies blocks by pointers to them and by their cells."""
    names = {number: k for k, number in enumerate(held)}
    own = tuple((names.get(v.block, -1), v.offset) if isinstance(v, Pointer) else repr(v) for v in values.values())
    cells = []
    for number in held:
        block = view.state.blocks[number]
        cells.append(tuple((at, isinstance(v, Pointer) or repr(v)) for at, (_, v) in sorted(block.cells.items())))
    return own, tuple(cells)


def _text(value: Value | None, view: View) -> str:
    if isinstance(value, Pointer):
        block = view.state.blocks.get(value.block)
        return f"&{block.label if block is not None else '?'}+{value.offset}"
    return "?" if value is None else str(value)
