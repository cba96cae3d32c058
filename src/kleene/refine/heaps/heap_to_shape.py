"""HeapToShape: a state of a run as a shape graph of a model.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, section 3.2. The
graph has the tracked live pointers, the tracked cells and the small integers of the shape class; a number that was
never written is 1/2. States with freed blocks, pointers to ended variables, rings or slots of tables have no graph:
which of these blocks an abstract state still has, and where it cuts a ring, depends on the path.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kleene.cfa.expressions import Variable
from kleene.cfa.operations import Allocate
from kleene.domains.explicit.memory import Block
from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import NotModelled, Pointer, Value
from kleene.logic.kleene import Kleene
from kleene.passes.facts.memory import TypedSize
from kleene.refine.model import Model
from kleene.refine.tree.reachability_tree import ExplicitNode, Node
from kleene.semantics.vocabulary.groups import CIRCULAR
from kleene.semantics.vocabulary.names import HEAP
from kleene.structures.evaluate import with_definitions
from kleene.structures.structure import Structure, StructureBuilder
from kleene.transformers.draft import Draft


def heap_to_shape(model: Model, state: State, fixed: Mapping[str, int]) -> Structure | None:
    """The two-valued structure of a state at a location of the program, if it has one. `fixed` are the globals."""
    if any(b.kind == "heap" and not b.alive for b in state.blocks.values()):
        return None
    if any(isinstance(size, TypedSize) for size in model.translator.memory.sizes):  # a block does not know its type
        return None
    if any(isinstance(e.label, Allocate) and e.label.stack for e in model.task.cfa.edges):
        return None
    if any(group.kind == CIRCULAR for group in model.translator.symbols.groups):
        return None
    converter = _Converter(model, state, fixed)
    try:
        shape = converter.structure()
    except NotModelled:  # a cell has a part of a pointer, or a number that was written as something else
        return None
    return None if converter.dangling else shape


def abstract_nodes(model: Model, nodes: Iterable[ExplicitNode], fixed: Mapping[str, int]) -> list[Node]:
    """The last loop of Abstract: nodes ``(l, H, G_0)`` become ``(l, H_0, G)``, where G is made of H."""
    result = []
    for node in nodes:
        shape = heap_to_shape(model, node.state, fixed) if node.state is not None else None
        if shape is not None:
            blurred = model.domain.blur(Draft.of(shape, 0, keep_names=False), shape)
            result.append(Node(node.location, blurred, node.parent, node.step, node.heap))
    return result


class _Converter:
    """One conversion."""

    def __init__(self, model: Model, state: State, fixed: Mapping[str, int]) -> None:
        self.translator = model.translator
        self.symbols = model.translator.symbols
        self.memory = model.translator.memory
        self.state = state
        self.dangling = False
        self.blocks = {**fixed, **state.frames[-1].locals}
        self.live = self.translator.live[state.frames[-1].location]
        objects = [v for v in self.memory.objects if self.blocks.get(v.name) in state.blocks]
        self.objects: dict[int, Variable] = {self.blocks[v.name]: v for v in objects}
        heap = [n for n, b in state.blocks.items() if b.kind == "heap"]
        self.nodes = {number: node for node, number in enumerate((*self.objects, *heap))}
        self.builder = StructureBuilder(model.translation.vocabulary, len(self.nodes))

    def structure(self) -> Structure:
        for number, node in self.nodes.items():
            self._node(self.state.blocks[number], node, self.objects.get(number))
        self._set_crowded()
        for variable in self.memory.pointers:
            if self._is_needed(variable) and self.symbols.precision.tracks(variable.name):
                self._pointer(variable)
        for variable in self.memory.integers:
            if self._is_needed(variable):
                self._integer(variable)
        return with_definitions(self.builder.build())

    def _is_needed(self, variable: Variable) -> bool:
        return (variable.is_global or variable in self.live) and self.blocks.get(variable.name) in self.state.blocks

    def _set(self, predicate: str, nodes: tuple[int, ...], value: Kleene = Kleene.TRUE) -> None:
        if predicate in self.builder.vocabulary:
            self.builder.set(predicate, nodes, value)

    def _node(self, block: Block, node: int, variable: Variable | None) -> None:
        if variable is not None:
            self._set(self.symbols.object(variable), (node,))
        else:
            self._set(HEAP, (node,))
        self._set(f"size[{block.size}]", (node,))
        for (size, offset), cell in self.memory.cell_of.items():
            if size == block.size and self.symbols.precision.tracks_cell(cell):
                value = block.load(8 * offset, 8 * self.memory.program.pointer_size)
                if isinstance(value, Pointer) and value.block in self.nodes:
                    self._set(self.symbols.cell(cell, value.offset), (node, self.nodes[value.block]))
                elif value != 0:
                    self._no_object(value)
                    self._set(f"undef.{cell}", (node,))
        for offset in self.translator.constants.cells:
            type_ = self.memory.integer_type((block.size, offset))
            known = block.load(8 * offset, type_.bits) if type_ else None
            if type_ and isinstance(known, int):  # it may have been written as another type
                known = type_.wrap(known)
            for c in self.translator.constants.of(offset):
                self._set(self.symbols.integer_cell(offset, c), (node,), _equal(known, c))

    def _set_crowded(self) -> None:
        """The nodes to which three cells of a group point."""
        edges = self.builder.build()
        for group in self.symbols.groups:
            targets = [nodes[1] for member in group.members for nodes, _ in edges.entries(member)]
            for node in {target for target in targets if targets.count(target) > 2}:
                self._set(group.crowded, (node,))

    def _pointer(self, variable: Variable) -> None:
        value = self._value(variable)
        pointer = self.symbols.pointer(variable)
        if isinstance(value, Pointer) and value.block in self.nodes:
            self._set(pointer.predicate(value.offset), (self.nodes[value.block],))
        elif value != 0:
            self._no_object(value)
            self._set(pointer.undefined, ())

    def _no_object(self, value: Value) -> None:
        """A pointer does not point to an object of the graph: it may be one to an object that was there before."""
        if isinstance(value, Pointer):
            block = self.state.blocks.get(value.block)
            self.dangling = self.dangling or block is None or not block.alive

    def _integer(self, variable: Variable) -> None:
        for c in self.translator.constants.of(variable):
            self._set(self.symbols.integer(variable, c), (), _equal(self._value(variable), c))

    def _value(self, variable: Variable) -> Value:
        return self.state.blocks[self.blocks[variable.name]].load(0, 8 * variable.type.size)


def _equal(value: Value | None, constant: int) -> Kleene:
    if not isinstance(value, int):
        return Kleene.UNKNOWN
    return Kleene.TRUE if value == constant else Kleene.FALSE
