"""A state of a run as a structure of the shape analysis, where the state determines it.

The nodes are the live objects of the memory model (`passes/facts/memory.py`), and ended objects with a live pointer to
them. Values that depend on the path to a state stay open: the cut edge of a ring, the value of a dead variable, the
list of slots of an array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property

from kleene.cfa.expressions import GHOST_OFFSET, Variable
from kleene.cfa.operations import CHOICE, Allocate, Enter, Realloc
from kleene.cfa.operations import Place as SourcePlace
from kleene.cfa.types import IntegerType, PointerType
from kleene.coverage.counts import wrong_in_block, wrong_of_variables
from kleene.coverage.matching import Places, Sketch
from kleene.coverage.numbers import MEANINGS, Plain
from kleene.coverage.views import (
    NULL_BLOCK,
    Exchange,
    KnownVariables,
    Program,
    View,
    load_value,
    number_at,
    pointer_at,
    value_of,
    variable_value,
)
from kleene.domains.explicit.memory import Block
from kleene.domains.explicit.values import Pointer, Undefined, Value
from kleene.logic.vocabulary import Vocabulary
from kleene.passes.attempts.slices.slicing import Slice
from kleene.passes.coalesce import Sharing
from kleene.passes.elements.owners import touched_name
from kleene.passes.elements.slots import array_spots, flexible_spots, slot_sizes
from kleene.passes.elements.text.blocks import TextPlaces
from kleene.passes.facts.blocks_of_pointers import LITERAL
from kleene.passes.facts.integers import Key
from kleene.passes.facts.memory import Memory, Place, TypedSize
from kleene.passes.facts.relations.texts import is_byte_array
from kleene.passes.literals import is_literal
from kleene.passes.pointers.fixed_addresses import fixed_address, signed_address
from kleene.semantics.translate import Translator
from kleene.semantics.vocabulary.names import FREED, HEAP, OPAQUE


class Misplaced(Exception):
    """A pointer leads to a place at which the analysis does not expect it."""


@dataclass(frozen=True)
class Ghost:
    """A number of the analysed automaton that the program does not have, but that its state determines."""

    name: str
    variables: frozenset[Variable]
    value: Callable[[Mapping[Variable, int]], int]
    """The value of the ghost, for those of the variables."""


@dataclass(frozen=True)
class GhostMember:
    """A ghost of objects, at an offset beyond their bytes.

    The integers at some offsets of an object determine it, and the values of some variables.
    """

    offset: int
    members: tuple[tuple[int, IntegerType], ...]
    variables: frozenset[Variable]
    value: Callable[[Sequence[int], Mapping[Variable, int]], int]

    def value_in(self, block: Block, base: int, variables: Mapping[Variable, int]) -> int | None:
        """The value of the ghost of the struct that begins at an offset of a block; None if it is not determined."""
        loaded = [load_value(block, base + offset, type_.size) for offset, type_ in self.members]
        numbers = [x for x in loaded if isinstance(x, int)]
        if len(numbers) < len(loaded) or not self.variables <= variables.keys():
            return None
        own = [type_.wrap(x) for x, (_, type_) in zip(numbers, self.members, strict=True)]
        return self.value(own, {v: variables[v] for v in self.variables})


@dataclass(frozen=True)
class Followed:
    """The automaton of an analysis: its translation, and its relation to the inlined program.

    `memory` is the memory before numbers were replaced; `sharing` maps pointers to their shared variables.
    """

    translator: Translator
    sharing: Sharing
    memory: Memory
    by: str = ""
    ghosts: Sequence[Ghost] = ()
    """The variables of the automaton that the program does not have."""
    ghost_members: Sequence[GhostMember] = ()
    slice: Slice | None = None
    """What is followed of the program, if not all of it."""
    stale: frozenset[Place] = frozenset()
    """The places of pointers that the analysis forgets before the program overwrites them."""
    unread: frozenset[Place] = frozenset()
    """The places of pointers that are NULL in the analysis, as nothing reads them."""


class Sketcher:
    """Makes sketches of the states of one program for one attempt."""

    def __init__(self, program: Program, attempt: Followed, vocabulary: Vocabulary) -> None:
        self.program, self.attempt = program, attempt
        self.translator = attempt.translator
        self.symbols, self.memory = self.translator.symbols, self.translator.memory
        self.exchange = Exchange(program, self.memory)
        self.places = Places.of(vocabulary, core=True)
        meaning = MEANINGS.get(attempt.by)
        self.numbers: Plain = meaning(attempt.memory) if meaning is not None else Plain()
        self.made = _allocation_sizes(self.memory)
        names = {v.name for v in self.memory.integers}
        self.standing = frozenset(v for v in self.memory.pointers if touched_name(v) in names)
        """The variables that stand for others, which may have got the pointer before them."""
        self.hollow = _places_of(self.memory, self.standing)
        """The allocations of the blocks whose members are variables (`with_owner_members`)."""
        self.arrays = array_spots(self.memory.program.records)
        self.flexible = flexible_spots(program.original.records, self.memory.program.records)
        self.slots = slot_sizes(self.memory.program.records.values())
        self.texts = TextPlaces.of(self.memory.program)
        self.edges = {name: cell for cell, name in self.symbols.edges}
        labels = [e.label for e in self.translator.source.edges]
        self.calls = any(isinstance(label, Enter) for label in labels)
        self.known = KnownVariables(self.memory)
        self.unread = attempt.stale | attempt.unread
        own = attempt.slice
        self.mixed = own.mixed if own is not None else frozenset()
        self.is_open = own.is_open if own is not None else lambda place: False
        self.partial = (
            any(v.name in program.parts or v == LITERAL for v in self.memory.objects)  # several objects for one block
            or bool(self.translator.undeclared)
            or self.translator.is_given
            or not self.symbols.all_pointers_tracked
            or bool(self.symbols.precision.active)
            or any(getattr(label, "source", "") == CHOICE for label in labels)
        )

    def sketches(self, view: View) -> Iterator[Sketch]:
        """The sketches of a state that all have to be covered. Raises Misplaced."""
        drawing = _Drawing(self, view)
        drawing.draw()
        for bound in self.numbers.bounds(drawing.integers()):
            yield drawing.with_numbers(bound)


def _allocation_sizes(memory: Memory) -> dict[SourcePlace, set[int | None]]:
    """The sizes of the blocks of each allocation, as the analysis represents them.

    An array in a struct may be a block of the stack beside that of its struct, which is the one of the program.
    """
    made: dict[SourcePlace, set[int | None]] = {}
    beside: dict[SourcePlace, set[int | None]] = {}
    for edge in memory.cfa.edges:
        if isinstance(edge.label, Allocate | Realloc):
            of_stack = isinstance(edge.label, Allocate) and edge.label.stack
            (beside if of_stack else made).setdefault(edge.label.place, set()).add(memory.block_size(edge.label))
    return beside | made


def _places_of(memory: Memory, targets: Set[Variable]) -> frozenset[SourcePlace]:
    """The places of the allocations whose blocks go to some variables."""
    labels = (edge.label for edge in memory.cfa.edges)
    return frozenset(label.place for label in labels if isinstance(label, Allocate) and label.target in targets)


@dataclass
class _Drawing:
    """One state being drawn."""

    owner: Sketcher
    view: View
    sketch: Sketch = field(default_factory=Sketch)
    nodes: dict[int, int] = field(default_factory=dict)
    objects: dict[int, Variable] = field(default_factory=dict)
    """The blocks of variables that are memory objects."""
    addresses: dict[int, int] = field(default_factory=dict)
    """The numbers of the blocks that stand for addresses of no object, by address."""
    live: Set[Variable] = frozenset()
    cells: list[tuple[int, int, int]] = field(default_factory=list)
    """Integers in memory: the node, the offset, and the number."""
    numbers: list[tuple[Variable, int]] = field(default_factory=list)

    def draw(self) -> None:
        owner, blocks = self.owner, self.view.state.blocks
        self.sketch.complete = self.view.whole and not owner.partial
        self.live = owner.translator.live.get(self.view.location, frozenset())
        for variable in owner.memory.objects:
            number = self.view.variables.get(variable.name)
            if self._is_known(variable) and number is not None and number in blocks and blocks[number].alive:
                self.objects[number] = variable
        if owner.calls:  # a call keeps the needed variables, not those that have just died
            needed = owner.translator.needed.get(self.view.location, frozenset())
            self.sketch.complete &= not any(isinstance(v.type, PointerType) for v in self.live - needed)
            self.live = self.live & needed
        heap = [n for n, b in blocks.items() if b.kind == "heap" and b.alive]
        stack = [n for frame in self.view.state.frames for n in frame.stack_blocks if blocks[n].alive]
        if owner.attempt.slice is not None:
            heap, stack = self._blocks_of_slice([*heap, *stack]), []
            self.sketch.complete = False
        elif not self.view.whole:
            heap = self._reachable_blocks(heap)
        for number in (*self.objects, *heap, *stack):
            self._node(number)
        drawn = list(self.nodes)
        self._fixed_addresses()
        for number in () if self._has_opaque_objects else drawn:
            self._cells(number, blocks[number])
        for variable in owner.memory.pointers:
            if (variable.is_global or variable in self.live) and self._is_known(variable):
                self._pointer(variable)
        for variable in owner.memory.integers:
            if (variable not in owner.translator.mortal or variable in self.live) and self._is_known(variable):
                value = variable_value(owner.program, self.view, variable)
                assert isinstance(variable.type, IntegerType)
                if isinstance(value, int):
                    self.numbers.append((variable, variable.type.wrap(value)))
        counts = owner.translator.context.counts
        for name in wrong_of_variables(counts, blocks, self._kept_value, owner.exchange) if counts is not None else ():
            self.sketch.false |= owner.places.nullary.get(name, 0)
        self._ghosts()

    @property
    def _has_opaque_objects(self) -> bool:
        """Whether the function does not look into all objects that it knows."""
        return not self.view.whole and OPAQUE in self.owner.symbols.unaries

    def _is_known(self, variable: Variable) -> bool:
        return self.owner.known.has(variable, self.view)

    def _kept_value(self, variable: Variable) -> Value | None:
        """The value of a variable that the analysis keeps here."""
        if (not variable.is_global and variable not in self.live) or not self._is_known(variable):
            return None
        held = self._holder(variable) if isinstance(variable.type, PointerType) else variable
        return self._value(held) if held else None

    def _value(self, variable: Variable) -> Value | None:
        """The value of a variable as the analysis knows it."""
        owner = self.owner
        return owner.exchange.of(variable_value(owner.program, self.view, variable), variable.type)

    def _ghosts(self) -> None:
        """The numbers of the state determine those of ghosts."""
        ghosts = {ghost.name: ghost for ghost in self.owner.attempt.ghosts}
        values = self._values_of_conditions
        for variable in self.owner.memory.integers:
            ghost = ghosts.get(variable.name)
            if ghost is not None and variable in self.live and ghost.variables <= values.keys():
                self.numbers.append((variable, ghost.value(values)))

    @cached_property
    def _values_of_conditions(self) -> dict[Variable, int]:
        """The values of the variables that ghosts are about, where they have one."""
        values: dict[Variable, int] = {}
        ghosts: list[Ghost | GhostMember] = [*self.owner.attempt.ghosts, *self.owner.attempt.ghost_members]
        for variable in {v for ghost in ghosts for v in ghost.variables}:
            value = value_of(self.owner.program, self.view, variable.name, variable.type.size)
            if isinstance(value, int) and isinstance(variable.type, IntegerType):
                values[variable] = variable.type.wrap(value)
        return values

    # Nodes ----------------------------------------------------------------------------------------------------

    def _reachable_blocks(self, heap: list[int]) -> list[int]:
        """The heap blocks that the variables of this activation reach: only these are certain.

        With opaque objects, those that the variables point to: what is behind an opaque object is not here.
        """
        owner = self.owner
        variables = filter(self._is_known, (*owner.memory.pointers, *owner.memory.objects))
        roots = [v for v in variables if v.is_global or v in self.live]
        numbers = [self.view.variables[v.name] for v in roots if v.name in self.view.variables]
        if self._has_opaque_objects:
            blocks = [self.view.state.blocks[n] for n in numbers if n in self.view.state.blocks]
            reached = {value.block for b in blocks for _, value in b.cells.values() if isinstance(value, Pointer)}
        else:
            reached = self.view.state.reachable([*numbers, *self.objects], ignored=owner.attempt.stale)
        return [number for number in heap if number in reached]

    def _blocks_of_slice(self, blocks: list[int]) -> list[int]:
        """The blocks that the variables of the slice reach by its cells: only these are certain to belong to it."""
        owner, state = self.owner, self.view.state
        members = owner.attempt.sharing.members
        pure = [v for v in owner.memory.pointers if owner.mixed.isdisjoint((v, *members.get(v.name, ())))]
        variables = filter(self._is_known, pure)
        roots = [v for v in variables if v.is_global or v in self.live]
        values = [self._value(held) for v in roots if (held := self._holder(v))]
        reached, waiting = set[int](), [value.block for value in values if isinstance(value, Pointer)]
        waiting += self.objects
        while waiting:
            number = waiting.pop()
            block = state.blocks.get(number)
            if number in reached or block is None or not block.alive:
                continue
            reached.add(number)
            size = self._size(number, block)
            places = [p for p in owner.memory.cell_of if p[0] == size and not owner.is_open(p)]
            cells = (pointer_at(owner.memory, block, place, owner.exchange) for place in places)
            waiting += [value.block for value in cells if isinstance(value, Pointer)]
        return [number for number in blocks if number in reached]

    def _fixed_addresses(self) -> None:
        """The objects that stand for numbers (`passes/pointers/fixed_addresses.py`), as blocks of negative numbers."""
        owner = self.owner
        for variable in filter(self._is_known, owner.memory.objects):
            address = fixed_address(variable)
            if address is not None:
                number = -1 - len(self.addresses) if address else NULL_BLOCK
                self.addresses |= {address: number} if address else {}
                node = self._new_node(number)
                for other in owner.memory.objects:
                    self._set(owner.symbols.object(other), node, truth=other == variable)
                for name in (HEAP, FREED):
                    self._set(name, node, truth=False)
                for size in owner.memory.sizes if len(owner.memory.sizes) > 1 else ():
                    self._set(f"size[{size}]", node, truth=size == owner.memory.size_of(variable))
                for name in owner.edges:
                    self.sketch.rows[node] |= owner.places.binary.get(name, 0)

    def _new_node(self, number: int) -> int:
        sketch = self.sketch
        node = self.nodes[number] = sketch.size
        sketch.nodes_true.append(0)
        sketch.nodes_false.append(0)
        sketch.rows.append(0)
        return node

    def _node(self, number: int) -> int:
        block = self.view.state.blocks[number]
        node = self._new_node(number)
        variable = self.objects.get(number)
        if block.alive:
            for other in self.owner.memory.objects:
                self._set(self.owner.symbols.object(other), node, truth=other == variable)
        if block.kind != "stack":
            self._set(HEAP, node, truth=block.kind == "heap")
        self._set(FREED, node, truth=not block.alive)
        size = self._size(number, block)
        if size is not None and block.alive and len(self.owner.memory.sizes) > 1:
            for other_size in self.owner.memory.sizes:
                self._set(f"size[{other_size}]", node, truth=other_size == size)
        return node

    def _size(self, number: int, block: Block) -> int | None:
        """The size by which the analysis knows a block; None if that is not certain."""
        variable = self.objects.get(number)
        if variable is not None:
            return self.owner.memory.size_of(variable)
        made = self.owner.made.get(block.place, set()) if block.place is not None else set()
        if len(made) == 1:
            return next(iter(made))
        sizes = [size for size in self.owner.memory.sizes if int(size) == block.size]
        plain = len(sizes) == 1 and not isinstance(sizes[0], TypedSize) and not made and self.owner.texts is None
        return sizes[0] if plain else None

    def _set(self, name: str, node: int, *, truth: bool) -> None:
        bit = self.owner.places.unary.get(name, 0)
        masks = self.sketch.nodes_true if truth else self.sketch.nodes_false
        masks[node] |= bit

    # Cells ----------------------------------------------------------------------------------------------------

    def _cells(self, number: int, block: Block) -> None:
        owner, node = self.owner, self.nodes[number]
        size = self._size(number, block)
        variable = self.objects.get(number)
        hollow = block.place in owner.hollow
        if block.alive and (size is None or hollow):  # ended blocks that only its cells point to are not drawn
            self.sketch.complete = False
        if not block.alive or size is None or hollow or (variable is not None and is_literal(variable)):
            return
        if size in owner.slots:  # the list of slots of an array is no part of the state
            return
        own = {cell: offset for (s, offset), cell in owner.memory.cell_of.items() if s == size and offset < size}
        for name, cell in owner.edges.items():
            if cell not in own:
                self.sketch.rows[node] |= owner.places.binary.get(name, 0)
        for cell, offset in own.items():
            if owner.is_open((size, offset)):
                continue
            if (size, offset) in owner.unread:
                self.sketch.complete &= (size, offset) not in owner.attempt.stale  # it may keep an ended block
                continue
            if self._is_flexible(size, offset) or self._is_in_array(block, offset):
                self.sketch.complete = False  # the analysis has more blocks
                continue
            if owner.symbols.precision.tracks_cell(cell):
                self._cell(node, cell, pointer_at(owner.memory, block, (size, offset), owner.exchange))
        counts = owner.translator.context.counts
        blocks = self.view.state.blocks
        for name in wrong_in_block(counts, blocks, number, size, owner.exchange) if counts is not None else ():
            self._set(name, node, truth=False)
        if owner.texts is not None and (
            size == owner.texts.size or (variable is not None and is_byte_array(variable.type))
        ):
            return  # the analysis does not follow what is written to it
        for offset in owner.translator.constants.cells:
            value = self._number(block, (size, offset))
            if value is not None:
                self.cells.append((node, offset, value))

    def _number(self, block: Block, place: Place) -> int | None:
        """The number in an integer cell or in a ghost, as it is kept; None if it is not known."""
        offset = place[1]
        if offset < GHOST_OFFSET:
            return number_at(self.owner.memory, block, place)
        base = offset % GHOST_OFFSET
        kept = self.owner.memory.integer_type(place)
        ghost = next((g for g in self.owner.attempt.ghost_members if g.offset == offset - base), None)
        if ghost is None or kept is None:
            return None
        value = ghost.value_in(block, base, self._values_of_conditions)
        return kept.wrap(value) if value is not None else None

    def _cell(self, node: int, cell: str, value: Value | None) -> None:
        owner = self.owner
        edges = {to: owner.symbols.cell(cell, to) for to in owner.symbols.target_offsets(cell)}
        value = self._as_known(value)
        target, known = self._target(value)
        if not known:
            return
        if isinstance(value, Pointer) and value.offset not in edges:
            raise Misplaced(f"the member {cell} points to offset {value.offset} of {self._label(value)}")
        for to, name in edges.items():
            bit = owner.places.binary.get(name, 0)
            self.sketch.rows[node] |= bit
            if target is not None and isinstance(value, Pointer) and to == value.offset:
                pair = (node, target)
                self.sketch.pairs[pair] = self.sketch.pairs.get(pair, 0) | bit
        self._set(f"undef.{cell}", node, truth=isinstance(value, Undefined))

    def _target(self, value: Value | None) -> tuple[int | None, bool]:
        """The target node of a pointer, if any, and whether the target is known."""
        if isinstance(value, Pointer):
            block = self.view.state.blocks.get(value.block)
            if block is not None and value.offset and self._size(value.block, block) in self.owner.slots:
                return None, False
            if block is not None and self._is_in_array(block, value.offset):
                return None, False
            if block is not None and self._is_flexible(self._size(value.block, block), value.offset):
                return None, False
            if value.block in self.nodes:
                return self.nodes[value.block], True
            if block is not None and not block.alive and block.kind in ("heap", "stack"):
                return self._node(value.block), True
            return None, False
        return None, value == 0 or isinstance(value, Undefined)

    def _is_in_array(self, block: Block, offset: int) -> bool:
        """Whether a place belongs to an array that the analysis has as a list of slots."""
        return any(first <= offset < last for first, last in self.owner.arrays.get(block.size, ()))

    def _is_flexible(self, size: int | None, offset: int) -> bool:
        """Whether a place is in a flexible array member, which the analysis has as a block of its own."""
        start = self.owner.flexible.get(int(size)) if size is not None else None
        return start is not None and offset >= start

    def _as_known(self, value: Value | None) -> Value | None:
        """A pointer as the analysis knows it; None where that is not certain.

        A number that has an object points to this object, a pointer into a text to its start.
        """
        if isinstance(value, int) and self.addresses:
            number = self.addresses.get(signed_address(value, self.owner.program.original.pointer_size))
            return value if number is None else Pointer(number, 0)
        texts = self.owner.texts
        if texts is None or not isinstance(value, Pointer):
            return value
        block = self.view.state.blocks.get(value.block)
        size = self._size(value.block, block) if block is not None else None
        variable = self.objects.get(value.block)
        if size == texts.size or (variable is not None and texts.is_array(variable)):
            return Pointer(value.block, 0)
        return None if size is None or texts.is_inside(int(size), value.offset) else value

    def _label(self, value: Pointer) -> str:
        block = self.view.state.blocks.get(value.block)
        return block.label if block is not None else "an address of no object"

    # Variables ------------------------------------------------------------------------------------------------

    def _pointer(self, variable: Variable) -> None:
        owner, sketch = self.owner, self.sketch
        if not owner.symbols.precision.tracks(variable.name):
            return
        pointer = owner.symbols.pointer(variable)
        if not owner.mixed.isdisjoint((variable, *owner.attempt.sharing.members.get(variable.name, ()))):
            sketch.complete = False
            return
        held = self._holder(variable)
        value = self._as_known(self._value(held) if held else None)
        target, known = self._target(value)
        stands = variable in owner.standing or owner.attempt.slice is not None
        if not known or (isinstance(value, Undefined) and stands):
            sketch.complete = False
            return
        if isinstance(value, Pointer) and value.offset not in pointer.offsets:
            raise Misplaced(f"{held} points to offset {value.offset} of {self._label(value)}")
        for offset in pointer.offsets:
            bit = owner.places.unary.get(pointer.predicate(offset), 0)
            for node in range(sketch.size):
                sketch.nodes_false[node] |= bit
            if target is not None and isinstance(value, Pointer) and offset == value.offset:
                sketch.nodes_true[target] |= bit
                sketch.nodes_false[target] &= ~bit
        bit = owner.places.nullary.get(pointer.undefined, 0)
        if isinstance(value, Undefined):
            sketch.true |= bit
        else:
            sketch.false |= bit

    def _holder(self, variable: Variable) -> Variable | None:
        """The variable of the program whose value a variable of the analysis has here."""
        sharing = self.owner.attempt.sharing
        members = sharing.members.get(variable.name)
        if members is None:
            return variable
        needed = [v for v in members if v in sharing.live.get(self.view.location, ())]
        return needed[0] if len(needed) == 1 else None

    # Numbers --------------------------------------------------------------------------------------------------

    def integers(self) -> list[tuple[Key, int]]:
        return [*self.numbers, *((offset, value) for _, offset, value in self.cells)]

    def with_numbers(self, bound: int) -> Sketch:
        """The sketch with the known numbers, as the attempt represents them."""
        owner, drawn = self.owner, self.sketch
        sketch = Sketch(
            drawn.true,
            drawn.false,
            [*drawn.nodes_true],
            [*drawn.nodes_false],
            drawn.pairs,
            drawn.rows,
            {},
            drawn.complete,
        )
        constants = owner.translator.constants
        for variable, value in self.numbers:
            chosen = owner.numbers.choices(variable, value, bound)
            for c in constants.of(variable):
                bit = owner.places.nullary.get(owner.symbols.integer(variable, c), 0)
                if c not in chosen:
                    sketch.false |= bit
                elif len(chosen) == 1:
                    sketch.true |= bit
        for node, offset, value in self.cells:
            chosen = owner.numbers.choices(offset, value, bound)
            for c in constants.of(offset):
                bit = owner.places.unary.get(owner.symbols.integer_cell(offset, c), 0)
                if c not in chosen:
                    sketch.nodes_false[node] |= bit
                elif len(chosen) == 1:
                    sketch.nodes_true[node] |= bit
        return sketch
