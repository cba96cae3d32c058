"""The memory of a C program as the analysis sees it: objects, cells, and where pointers may point inside objects.

Individuals are memory objects: heap blocks, and variables whose address is taken or that are structs. A pointer is a
pair of an object and an offset; which offsets a pointer variable or a pointer cell may hold is computed beforehand,
without regard to control flow (docs/assumptions.md). A cell is a scalar at an offset of an object.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

from kleene.cfa.expressions import (
    ARITHMETIC,
    GHOST_OFFSET,
    AddressOf,
    Binary,
    Cast,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    PointerOffset,
    Unary,
    Variable,
    walk,
)
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import (
    Allocate,
    Assign,
    DeclareLocal,
    Invoke,
    MemCopy,
    Operation,
    Realloc,
    Specified,
    address_taken,
    expressions,
)
from kleene.cfa.program import CProgram
from kleene.cfa.types import ArrayType, FloatType, IntegerType, PointerType, RecordType, Type, shared_type
from kleene.diagnostics import KleeneError
from kleene.logic.vocabulary import RESERVED
from kleene.passes.pointers.function_values import scalar_type
from kleene.passes.pointers.numbers_from_addresses import AddressNumbers
from kleene.passes.pointers.words.types import is_tag

MAX_PLACES = 12
"""Places (a kind of object and an offset) of one pointer: with more, it may point anywhere."""


class TypedSize(int):
    """The size of objects, where objects of different types have that size: with the type that they were made for.

    An object keeps it, and a pointer knows those of all that it may point to, however it is cast.
    """

    def __new__(cls, size: int, type_: str) -> Self:
        made = super().__new__(cls, size)
        made._key = (size, type_)
        return made

    _key: tuple[int, str]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TypedSize) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __lt__(self, other: int) -> bool:
        return self._key < other._key if isinstance(other, TypedSize) else int(self) < other

    def __gt__(self, other: int) -> bool:
        return self._key > other._key if isinstance(other, TypedSize) else int(self) > other

    def __str__(self) -> str:
        return self._key[1] or str(self._key[0])


NOT_MEMBERS = RESERVED | {"heap", "freed", "opaque", "new"}
"""Names that are predicates of every block (`semantics/vocabulary/names.py`): a member of such a name gets another."""
LINKS = "links"
"""The name of the structure type of pointers between others."""
Place = tuple[int, int]
"""Where a pointer may point, or a cell may lie: in objects of some size, at an offset."""


class Unmodelled(KleeneError):
    """Something in an operation that the memory model does not have; paths through it are unknown."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar inside a type: its offset and its type."""

    offset: int
    type: Type
    name: str


def leaves(type_: Type, program: CProgram, base: int = 0, name: str = "") -> list[Leaf]:
    """The scalars that a value of the type consists of; arrays are followed up to a small size."""
    if isinstance(type_, RecordType):
        layout = program.records.get(type_.name)
        if layout is None:
            raise Unmodelled(f"the members of {type_} are not known")
        result = []
        for member in layout.fields:
            if member.bit_width is not None:
                continue
            inner = f"{name}.{member.name}" if name else member.name
            result += leaves(member.type, program, base + member.offset, inner)
        return result
    if isinstance(type_, ArrayType):
        if type_.count > 16:
            return []
        return [
            leaf
            for i in range(type_.count)
            for leaf in leaves(type_.element, program, base + i * type_.element.size, f"{name}[{i}]")
        ]
    return [Leaf(base, scalar_type(type_, program.pointer_size), name)]


@dataclass(frozen=True)
class StructureType:
    """Kinds of objects that pointers connect with each other: their pointer cells, and their sizes."""

    name: str
    cells: frozenset[str]
    sizes: frozenset[int]
    links: bool = False
    """Whether the cells are those that lead from objects of one kind to another."""

    def __str__(self) -> str:
        return self.name


@dataclass(eq=False)
class Memory:
    """The memory of a program as the analysis sees it: variables by kind, cells by place, targets of pointers.

    `cell_of` maps a place to the name of its pointer cell. `cell_targets` maps the name of a cell to the targets of its
    pointers; `cell_places` is more precise, by place. With `typed`, objects of one size but different types differ.
    With `by_record`, each kind of object is a structure type of its own, and its members have names of their own.
    """

    program: CProgram
    cfa: Cfa[Operation]
    typed: bool = False
    by_record: bool = False
    pointers: tuple[Variable, ...] = ()
    integers: tuple[Variable, ...] = ()
    objects: tuple[Variable, ...] = ()
    pointer_places: dict[Variable, set[Place]] = field(default_factory=dict)
    cell_of: dict[Place, str] = field(default_factory=dict)
    cell_targets: dict[str, set[Place]] = field(default_factory=dict)
    sizes: set[int] = field(default_factory=set)
    access_types: dict[Place, set[IntegerType]] = field(default_factory=dict)
    pointer_types: dict[Place, set[Type]] = field(default_factory=dict)
    """The declared types of pointers at a place."""
    ghost_names: dict[int, str] = field(default_factory=dict)
    """The names of ghosts of objects, by offset."""
    _types_of: dict[int, dict[str, None]] = field(default_factory=dict)
    _held: dict[Place, set[Place]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._classify()
        self._find_cells()
        self._flow()
        self._name_apart()
        self._find_integers()

    # Variables ------------------------------------------------------------------------------------------------

    def _classify(self) -> None:
        taken = address_taken([*self._initial(), *(edge.label for edge in self.cfa.edges)])
        variables: dict[Variable, None] = {}
        for operation in (*self._initial(), *(edge.label for edge in self.cfa.edges)):
            for expression in expressions(operation):
                variables.update({n: None for n in walk(expression) if isinstance(n, Variable)})
            if isinstance(operation, DeclareLocal):
                variables[operation.variable] = None
        plain = [v for v in variables if v not in taken]
        self.pointers = tuple(v for v in plain if isinstance(v.type, PointerType))
        self.integers = tuple(v for v in plain if isinstance(v.type, IntegerType))
        self.objects = tuple(v for v in variables if v in taken or isinstance(v.type, RecordType | ArrayType))
        self._kind = dict.fromkeys(self.pointers, "pointer") | dict.fromkeys(self.integers, "integer")
        self._kind |= dict.fromkeys(self.objects, "object")

    def _initial(self) -> list[Operation]:
        return [assignment for item in self.program.globals for assignment in item.initial]

    def kind(self, variable: Variable) -> str:
        """'pointer', 'integer', 'object', or 'other' for unsupported types (floating point)."""
        return self._kind.get(variable, "other")

    # Cells --------------------------------------------------------------------------------------------------------

    def _find_cells(self) -> None:
        """The pointer cells of all objects, by offset, with a readable name."""
        made = [
            self._size_and_element(operation)
            for operation in self._operations()
            if isinstance(operation, Allocate | Realloc)
        ]
        made += [(v.type.size, v.type) for v in self.objects]
        made += [(record.size, record) for record in self._specified_records]
        for size, type_ in made:
            if size is not None:
                self._types_of.setdefault(size, {})[_type_name(size, type_)] = None
        self.sizes = {self._size(size, type_) for size, type_ in made if size is not None}
        names: dict[Place, dict[str, None]] = {}
        for type_ in self.used_types():
            try:
                parts = leaves(type_, self.program)
            except Unmodelled:
                continue
            for leaf in parts:
                if isinstance(leaf.type, PointerType):
                    short = leaf.name.rpartition(".")[2] or "*"
                    for size in sorted(self.sizes):
                        if int(size) == type_.size and str(size) in (str(int(size)), str(type_)):
                            names.setdefault((size, leaf.offset), {})[short] = None
                            self.pointer_types.setdefault((size, leaf.offset), set()).add(leaf.type)
        for place, texts in names.items():
            self._name_cell(place, "|".join(texts))

    def size_of(self, variable: Variable) -> int:
        """The size of a variable in memory."""
        return self._size(variable.type.size, variable.type)

    def block_size(self, operation: Allocate | Realloc) -> int | None:
        """The size of a new block; None if it is not a constant."""
        size, type_ = self._size_and_element(operation)
        return None if size is None else self._size(size, type_)

    def _size_and_element(self, operation: Allocate | Realloc) -> tuple[int | None, Type | None]:
        return constant_of(operation.size), operation.element if isinstance(operation, Allocate) else None

    def _size(self, size: int, type_: Type | None) -> int:
        several = self.typed and len(self._types_of.get(size, ())) > 1
        return TypedSize(size, _type_name(size, type_)) if several else size

    def _operations(self) -> list[Operation]:
        return [*self._initial(), *(edge.label for edge in self.cfa.edges)]

    @property
    def _specified_records(self) -> list[RecordType]:
        """The types of the blocks in contracts."""
        records = [r for o in self._operations() if isinstance(o, Specified) for r in o.records]
        return list(dict.fromkeys(records))

    def used_types(self) -> list[Type]:
        """The types of objects, and of all that is seen through a pointer."""
        used_types: dict[Type, None] = {v.type: None for v in self.objects}
        used_types.update(dict.fromkeys(self._specified_records))
        for operation in self._operations():
            if isinstance(operation, Allocate) and operation.element is not None:
                used_types[operation.element] = None
            for expression in expressions(operation):
                used_types.update({node.type: None for node in walk(expression) if isinstance(node, Deref)})
        return list(used_types)

    def _name_cell(self, place: Place, name: str) -> None:
        """A new pointer cell. Objects of one size have different names for different cells; others may share them."""
        if place not in self.cell_of:
            name = f"{name}'" if name in NOT_MEMBERS else name
            if any(size == place[0] and known == name for (size, _), known in self.cell_of.items()):
                name = f"{name}@{place[1]}"
            self.cell_of[place] = name
            self.cell_targets.setdefault(name, set())
            self._held[place] = set()

    def _find_integers(self) -> None:
        """The types of the integers that are read or written at each offset of objects."""
        operations = [*self._initial(), *(edge.label for edge in self.cfa.edges)]
        for operation in operations:
            for expression in expressions(operation):
                for node in walk(expression):
                    if isinstance(node.type, IntegerType) and isinstance(node, Variable | Field | Index | Deref):
                        self._note_integer(node, node.type)

    def _note_integer(self, lvalue: Expression, type_: IntegerType) -> None:
        if isinstance(lvalue, Variable) and self.kind(lvalue) != "object":
            return
        if isinstance(lvalue, Field) and lvalue.bit_width is not None:
            return
        for place in self._known_places(lvalue):
            self.access_types.setdefault(place, set()).add(type_)
            if isinstance(lvalue, Field) and lvalue.offset >= GHOST_OFFSET:
                part = place[1] % GHOST_OFFSET
                self.ghost_names[place[1]] = f"{lvalue.name}@{part}" if part else lvalue.name

    def integer_type(self, place: Place) -> IntegerType | None:
        """The type of the numbers stored at a place; None if accesses differ in width, then the value is unknown.

        An access with another type converts the number (`rereads`).
        """
        return shared_type(self.access_types.get(place, ()))

    def flags_at(self, place: Place) -> int:
        """The bits of the flags beside the pointer at a place (`passes/pointers/words`); 0 without any."""
        return max((t.maximum for t in self.access_types.get(place, ()) if is_tag(t)), default=0)

    def accessed_bytes(self, place: Place) -> int:
        """The size of the largest integer that is read or written at a place."""
        return max((t.size for t in self.access_types.get(place, ())), default=0)

    def overlapped_pointers(self, place: Place, length: int) -> list[Place]:
        """The pointer cells that a write of `length` bytes at a place overlaps."""
        size, offset = place
        width = self.program.pointer_size
        return [(s, o) for s, o in sorted(self.cell_of) if s == size and o < offset + length and offset < o + width]

    def overlapped_integers(self, place: Place, length: int) -> list[Place]:
        """The integer cells that a write of `length` bytes at a place overlaps, flags of a pointer there included."""
        size, offset = place
        return [
            (s, o)
            for s, o in sorted(self.access_types)
            if s == size and o < offset + length and offset < o + max(self.accessed_bytes((s, o)), 1)
        ]

    # Offsets --------------------------------------------------------------------------------------------------------

    def _flow(self) -> None:
        self.pointer_places = {v: set() for v in self.pointers}
        operations = [*self._initial(), *(edge.label for edge in self.cfa.edges)]
        changed = True
        while changed:
            changed = False
            for operation in operations:
                try:
                    changed |= self._flow_through(operation)
                except Unmodelled:
                    continue

    def _flow_through(self, operation: Operation) -> bool:
        match operation:
            case Invoke(assignments=assignments):
                grown = [self._flow_through(assignment) for assignment in assignments]
                return any(grown)
            case Assign(target=target, value=value) if isinstance(target.type, PointerType):
                return self._add(target, self.value_places(value))
            case Assign(target=target, value=value) if isinstance(target.type, RecordType):
                return self._flow_bytes(self.address_places(target), self.address_places(value), target.type.size)
            case MemCopy(destination=to, source=source, size=size):
                return self._flow_bytes(self.value_places(to), self.value_places(source), constant_of(size) or 0)
            case Allocate(target=target) if isinstance(target.type, PointerType):
                number = self.block_size(operation)
                return self._add(target, set() if number is None else {(number, 0)})
            case Realloc(target=target, pointer=pointer) if isinstance(target.type, PointerType):
                number = self.block_size(operation)
                if number is not None:
                    moved = self._flow_bytes({(number, 0)}, self.value_places(pointer), number)
                    return self._add(target, {(number, 0)}) or moved
            case Specified(targets=targets, records=records) if operation.role in ("given", "changes"):
                grown = [self._add(v, self._starts(v.type, records)) for v in targets]
                for record in records:
                    for leaf in leaves(record, self.program):
                        if places := self._starts(leaf.type, records):
                            grown.append(self._add_to_cell((self.record_size(record), leaf.offset), places))
                return any(grown)
        return False

    @cached_property
    def numbers_hold_addresses(self) -> bool:
        """Whether the program converts a pointer to a number: then a number may become that pointer again."""
        nodes = (n for o in self._operations() for x in expressions(o) for n in walk(x) if isinstance(n, Cast))
        return any(isinstance(n.operand.type, PointerType) and not isinstance(n.type, PointerType) for n in nodes)

    @cached_property
    def address_numbers(self) -> AddressNumbers:
        """The numbers that may become a pointer to an object again."""
        return AddressNumbers(self._operations())

    def record_size(self, record: RecordType) -> int:
        """The size of the blocks of a type."""
        return self._size(record.size, record)

    def _starts(self, pointer: Type, records: Iterable[RecordType]) -> set[Place]:
        """The blocks to which a pointer of this type points at their beginning."""
        target = pointer.target if isinstance(pointer, PointerType) else None
        return {(self.record_size(record), 0) for record in records if record == target}

    def _flow_bytes(self, targets: set[Place], sources: set[Place], length: int) -> bool:
        """Pointers that are copied with the bytes around them."""
        changed = False
        for source in sources:
            for cell in self.overlapped_pointers(source, length):
                shift = cell[1] - source[1]
                if 0 <= shift <= length - self.program.pointer_size:
                    for size, offset in targets:
                        changed |= self._add_to_cell((size, offset + shift), set(self._held[cell]))
        return changed

    def _add(self, target: Expression, places: set[Place]) -> bool:
        if isinstance(target, Variable) and self.kind(target) == "pointer":
            return _grow(self.pointer_places[target], _followed(self.pointer_places[target], places))
        grown = [self._add_to_cell(place, places) for place in self.address_places(target)]
        return any(grown)

    def _add_to_cell(self, place: Place, places: set[Place]) -> bool:
        if not place[0]:  # an object without bytes
            return False
        changed = place not in self.cell_of
        self._name_cell(place, f"@{place[1]}")
        targets = self.cell_targets[self.cell_of[place]]
        places = _followed(targets, places)
        grown = [_grow(known, places) for known in (self._held[place], targets)]
        return any(grown) or changed

    # Structure types ----------------------------------------------------------------------------------------------

    @cached_property
    def structure_types(self) -> tuple[StructureType, ...]:
        """The cells, divided such that no pointer connects objects of two parts.

        With `by_record`, the cells that lead to objects of the same kind, by this kind, and all others.
        """
        if self.by_record:
            return self._records_and_links()
        parts: dict[frozenset[int], list[str]] = {}
        for (size, _), cell in self.cell_of.items():
            parts.setdefault(self._connected_kinds[size], []).append(cell)
        types = [StructureType(self._type_words(sizes), frozenset(cells), sizes) for sizes, cells in parts.items()]
        return tuple(sorted(types, key=lambda structure: structure.name))

    def _records_and_links(self) -> tuple[StructureType, ...]:
        own: dict[int, list[str]] = {}
        links: list[str] = []
        for (size, _), cell in self.cell_of.items():
            stays = {to for to, _ in self.cell_targets[cell]} <= {size}
            (own.setdefault(size, []) if stays else links).append(cell)
        types = [
            StructureType(self._type_words([size]), frozenset(cells), frozenset({size})) for size, cells in own.items()
        ]
        ends = frozenset(size for (size, _), cell in self.cell_of.items() if cell in links)
        return (*types, StructureType(LINKS, frozenset(links), ends, links=True)) if links else tuple(types)

    @cached_property
    def _connected_kinds(self) -> dict[int, frozenset[int]]:
        """For each kind of object all kinds that pointers connect with it, in either direction; or it alone."""
        connected: dict[int, frozenset[int]] = {size: frozenset({size}) for size, _ in self.cell_of}
        for (size, _), held in self._held.items():
            for to, _ in held if not self.by_record else ():
                both = connected[size] | connected.get(to, frozenset({to}))
                connected |= dict.fromkeys(both, both)
        return connected

    def _name_apart(self) -> None:
        """Members of the same name get one predicate if pointers connect their objects; others get their own.

        So do members that lead from objects of a kind to objects of the same kind only, such as the ``next`` of a list
        and the ``next`` of the rings in it.
        """
        holders: dict[str, frozenset[int]] = {}
        targets: dict[str, set[Place]] = {}
        for (size, offset), name in list(self.cell_of.items()):
            stays = bool(self._held[size, offset]) and {to for to, _ in self._held[size, offset]} == {size}
            owners = frozenset({size}) if stays else self._connected_kinds[size]
            if holders.setdefault(name, owners) != owners:
                name = f"{name}@{self._type_words(owners)}"
                self.cell_of[size, offset] = name
            targets.setdefault(name, set()).update(self._held[size, offset])
        self.cell_targets = targets

    def _type_words(self, sizes: Iterable[int]) -> str:
        """The tags of the structs of some sizes; the sizes themselves if they have none."""
        names = [
            name
            for size in sorted(sizes)
            for name in ([str(size)] if isinstance(size, TypedSize) else self._types_of.get(size, {}))
            if name
        ] or [str(size) for size in sorted(sizes)]
        return "+".join(dict.fromkeys(name.removeprefix("struct ") for name in names))

    @property
    def links(self) -> frozenset[str]:
        """The cells that lead from objects of a kind to objects of the same kind only."""
        return frozenset(
            name
            for name, targets in self.cell_targets.items()
            if targets and {to for to, _ in targets} == {size for (size, _), own in self.cell_of.items() if own == name}
        )

    @property
    def self_loops(self) -> frozenset[str]:
        """The cells with a statement that makes an object point to itself, such as ``h->next = h``."""
        self_loops: set[str] = set()
        for operation in (*self._initial(), *(edge.label for edge in self.cfa.edges)):
            if isinstance(operation, Assign) and _points_to_itself(operation.target, operation.value):
                self_loops |= self.cells_at(operation.target)
        return frozenset(self_loops)

    def cells_at(self, lvalue: Expression) -> set[str]:
        """The pointer cells that an lvalue may be, as far as they are known."""
        return {self.cell_of[place] for place in self._known_places(lvalue) if place in self.cell_of}

    def _known_places(self, lvalue: Expression) -> set[Place]:
        try:
            return self.address_places(lvalue)
        except Unmodelled:
            return set()

    def value_places(self, value: Expression) -> set[Place]:
        """The places that a pointer value may point to."""
        match value:
            case Constant():  # NULL, or a number that is no address of an object
                return set()
            case Variable() if self.kind(value) == "pointer":
                return set(self.pointer_places.get(value, ()))
            case Cast(operand=operand) if isinstance(operand.type, PointerType):
                return self.value_places(operand)
            case Cast(operand=operand) if isinstance(operand.type, IntegerType):  # nothing is known of the number
                return set()
            case AddressOf(target=target):
                return self.address_places(target)
            case PointerOffset(pointer=pointer, index=index, scale=scale):
                shift = constant_of(index)
                if shift is None:
                    raise Unmodelled("pointer arithmetic with a variable")
                return {self._moved(place, shift * scale) for place in self.value_places(pointer)}
            case Field() | Deref() | Index() | Variable():
                return self.cell_places(self.address_places(value))
        raise Unmodelled(f"pointer value {value}")

    def _moved(self, place: Place, shift: int) -> Place:
        """Where a pointer is after it was moved by so many bytes."""
        return place[0], place[1] + shift

    def cell_places(self, places: Iterable[Place]) -> set[Place]:
        """The places that the pointers in cells at these places may point to."""
        return {to for place in places for to in self._held.get(place, ())}

    def address_places(self, lvalue: Expression) -> set[Place]:
        """The places where an lvalue in memory may be."""
        match lvalue:
            case Variable():
                return {(self.size_of(lvalue), 0)}
            case Field(base=base, offset=offset):
                return _shift(self.address_places(base), offset)
            case Deref(pointer=pointer):
                return self.value_places(pointer)
            case Index(base=base, index=index):
                number = constant_of(index)
                if number is None:
                    raise Unmodelled("an array element with a variable index")
                return _shift(self.address_places(base), number * lvalue.type.size)
        raise Unmodelled(f"memory access {lvalue}")


def _type_name(size: int, type_: Type | None) -> str:
    """The name of a struct, of a pointer, or of an array of numbers, of just that size."""
    is_named = isinstance(type_, RecordType | PointerType) or (
        isinstance(type_, ArrayType) and isinstance(type_.element, IntegerType | FloatType)
    )
    return str(type_) if is_named and type_ is not None and type_.size == size else ""


def _points_to_itself(target: Expression, value: Expression) -> bool:
    while isinstance(value, Cast):
        value = value.operand
    while isinstance(target, Field):
        target = target.base
        if target == Deref(value, target.type) or (isinstance(value, AddressOf) and value.target == target):
            return True
    return False


def _shift(places: Iterable[Place], shift: int) -> set[Place]:
    return {(size, offset + shift) for size, offset in places}


def _followed(known: set[Place], places: set[Place]) -> set[Place]:
    """What a set of places gets: once it has too many, no new offsets in a kind of block that it has.

    A pointer that walks on and on would get one in each round. Other kinds of blocks are added: who asks which objects
    a pointer leads to misses none. The translation does not support an offset that is missing.
    """
    if len(known) <= MAX_PLACES:
        return places
    offsets, kinds = {offset for _, offset in known}, {size for size, _ in known}
    return {(size, offset) for size, offset in places if offset in offsets or size not in kinds}


def _grow(known: set[Place], places: set[Place]) -> bool:
    """Add places to a set; true if it has grown."""
    changed = not places <= known
    known |= places
    return changed


def constant_of(expression: Expression) -> int | None:
    """The value of an integer constant expression, through casts."""
    match expression:
        case Constant(value=value):
            return value
        case Cast(operand=operand, type=type_):
            inner = constant_of(operand)
            if inner and getattr(operand.type, "function", False) != getattr(type_, "function", False):
                return None  # an address of a function is no number
            return type_.wrap(inner) if inner is not None and isinstance(type_, IntegerType) else inner
        case Unary(operator=("-" | "~") as operator, operand=operand, type=IntegerType() as type_):
            inner = constant_of(operand)
            return None if inner is None else type_.wrap(-inner if operator == "-" else ~inner)
        case Binary(operator=operator, left=left, right=right, type=IntegerType() as type_):
            a, b = constant_of(left), constant_of(right)
            if a is None or b is None:
                return None
            if operator in ("<<", ">>"):  # only where C defines it
                inside = a >= 0 and 0 <= b < type_.bits
                return type_.wrap(a << b if operator == "<<" else a >> b) if inside else None
            if operator in ("/", "%") and a >= 0 and b > 0:
                return a // b if operator == "/" else a % b
            return type_.wrap(ARITHMETIC[operator](a, b)) if operator in ARITHMETIC else None
    return None
