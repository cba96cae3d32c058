"""The memory of a C program as the analysis sees it: objects, cells, and where pointers may point inside objects.

Individuals are memory objects: heap blocks, and variables whose address is taken or that are structs. A pointer is a
pair of an object and an offset; which offsets a pointer variable or a pointer cell may hold is computed beforehand,
without regard to control flow (design.md section 5). A cell is a scalar at an offset of an object.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kleene.cfa.expressions import (
    AddressOf,
    Binary,
    Cast,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    PointerOffset,
    Variable,
    walk,
)
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Allocate, Assign, DeclareLocal, MemCopy, Operation, Realloc, expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import ArrayType, IntegerType, PointerType, RecordType, Type
from kleene.diagnostics import KleeneError
from kleene.semantics.promote import address_taken

MAX_OFFSETS = 8


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
        found = []
        for member in layout.fields:
            if member.bit_width is not None:
                raise Unmodelled(f"bit-field {member.name}")
            inner = f"{name}.{member.name}" if name else member.name
            found += leaves(member.type, program, base + member.offset, inner)
        return found
    if isinstance(type_, ArrayType):
        if type_.count > 16:
            return []
        return [
            leaf
            for i in range(type_.count)
            for leaf in leaves(type_.element, program, base + i * type_.element.size, f"{name}[{i}]")
        ]
    return [Leaf(base, type_, name)]


@dataclass
class Memory:
    """What the analysis keeps of a program: variables by kind, cells by offset, possible offsets of pointers."""

    program: CProgram
    cfa: Cfa[Operation]
    pointers: tuple[Variable, ...] = ()
    integers: tuple[Variable, ...] = ()
    objects: tuple[Variable, ...] = ()
    pointer_offsets: dict[Variable, set[int]] = field(default_factory=dict)
    cell_offsets: dict[int, set[int]] = field(default_factory=dict)
    cell_names: dict[int, str] = field(default_factory=dict)
    sizes: set[int] = field(default_factory=set)
    access_widths: dict[int, set[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._classify()
        self._find_cells()
        self._flow()
        self._find_widths()

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
        """'pointer', 'integer', 'object', or 'other' for what is not modelled (floating point)."""
        return self._kind.get(variable, "other")

    # Cells --------------------------------------------------------------------------------------------------------

    def _find_cells(self) -> None:
        """The pointer cells of all objects, by offset, with a readable name."""
        types: list[Type] = [v.type for v in self.objects]
        for edge in self.cfa.edges:
            if isinstance(edge.label, Allocate) and edge.label.element is not None:
                types.append(edge.label.element)
            size = constant_of(edge.label.size) if isinstance(edge.label, Allocate) else None
            if size is not None:
                self.sizes.add(size)
        self.sizes |= {v.type.size for v in self.objects}
        types += [layout.type for layout in self.program.records.values() if layout.type.size in self.sizes]
        names: dict[int, dict[str, None]] = {}
        for type_ in types:
            try:
                found = leaves(type_, self.program)
            except Unmodelled:
                continue
            for leaf in found:
                if isinstance(leaf.type, PointerType):
                    names.setdefault(leaf.offset, {})[leaf.name or "*"] = None
        for offset, texts in names.items():
            self._name_cell(offset, "|".join(texts))

    def _name_cell(self, offset: int, name: str) -> None:
        """A new pointer cell; cells at different offsets have different names."""
        if offset not in self.cell_offsets:
            self.cell_offsets[offset] = set()
            self.cell_names[offset] = name if name not in self.cell_names.values() else f"{name}@{offset}"

    def _find_widths(self) -> None:
        """The sizes of the integers that are read or written at each offset of objects."""
        operations = [*self._initial(), *(edge.label for edge in self.cfa.edges)]
        for operation in operations:
            for expression in expressions(operation):
                for node in walk(expression):
                    if isinstance(node.type, IntegerType) and isinstance(node, Variable | Field | Index | Deref):
                        self._note_width(node)

    def _note_width(self, lvalue: Expression) -> None:
        if isinstance(lvalue, Variable) and self.kind(lvalue) != "object":
            return
        try:
            for offset in self.address_offsets(lvalue):
                self.access_widths.setdefault(offset, set()).add(lvalue.type.size)
        except Unmodelled:
            return

    def integer_width(self, offset: int) -> int:
        """The size of the integers at an offset, if they are all of one size; else 0, and nothing is known of them."""
        widths = self.access_widths.get(offset, set())
        return next(iter(widths)) if len(widths) == 1 else 0

    def overlapped_pointers(self, offset: int, size: int) -> list[int]:
        """The pointer cells that a write of so many bytes at an offset touches."""
        width = self.program.pointer_size
        return [cell for cell in sorted(self.cell_offsets) if cell < offset + size and offset < cell + width]

    def overlapped_integers(self, offset: int, size: int) -> list[int]:
        """The integer cells that a write of so many bytes at an offset touches."""
        return [
            cell
            for cell, widths in sorted(self.access_widths.items())
            if cell < offset + size and offset < cell + max(widths)
        ]

    # Offsets --------------------------------------------------------------------------------------------------------

    def _flow(self) -> None:
        self.pointer_offsets = {v: set() for v in self.pointers}
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
        if isinstance(operation, Assign) and isinstance(operation.target.type, PointerType):
            return self._add(operation.target, self.value_offsets(operation.value))
        if isinstance(operation, Assign) and isinstance(operation.target.type, RecordType):
            size = operation.target.type.size
            return self._flow_bytes(self.address_offsets(operation.target), self.address_offsets(operation.value), size)
        if isinstance(operation, MemCopy):
            size = constant_of(operation.size) or 0
            return self._flow_bytes(
                self.value_offsets(operation.destination), self.value_offsets(operation.source), size
            )
        if isinstance(operation, Allocate | Realloc) and isinstance(operation.target.type, PointerType):
            return self._add(operation.target, {0})
        return False

    def _flow_bytes(self, targets: set[int], sources: set[int], size: int) -> bool:
        """Pointers that are copied with the bytes around them."""
        changed = False
        for source in sources:
            for cell, offsets in sorted(self.cell_offsets.items()):
                if source <= cell and cell + self.program.pointer_size <= source + size:
                    for target in targets:
                        changed |= self._add_to_cell(target + cell - source, set(offsets))
        return changed

    def _add(self, target: Expression, offsets: set[int]) -> bool:
        changed = False
        if isinstance(target, Variable) and self.kind(target) == "pointer":
            changed = not offsets <= self.pointer_offsets[target]
            self.pointer_offsets[target] |= offsets
            if len(self.pointer_offsets[target]) > MAX_OFFSETS:
                raise Unmodelled(f"{target} may point to too many places inside objects")
            return changed
        for place in self.address_offsets(target):
            changed |= self._add_to_cell(place, offsets)
        return changed

    def _add_to_cell(self, place: int, offsets: set[int]) -> bool:
        changed = place not in self.cell_offsets
        self._name_cell(place, f"@{place}")
        known = self.cell_offsets[place]
        changed |= not offsets <= known
        known |= offsets
        if len(known) > MAX_OFFSETS:
            raise Unmodelled("a member may point to too many places inside objects")
        return changed

    def value_offsets(self, value: Expression) -> set[int]:
        """At which offsets of an object a pointer value may point."""
        match value:
            case Constant(value=0):
                return set()
            case Variable() if self.kind(value) == "pointer":
                return set(self.pointer_offsets.get(value, ()))
            case Cast(operand=operand) if isinstance(operand.type, PointerType):
                return self.value_offsets(operand)
            case Cast(operand=Constant(value=0)):
                return set()
            case AddressOf(target=target):
                return self.address_offsets(target)
            case PointerOffset(pointer=pointer, index=index, scale=scale):
                shift = constant_of(index)
                if shift is None:
                    raise Unmodelled("pointer arithmetic with a variable")
                return {o + shift * scale for o in self.value_offsets(pointer)}
            case Field() | Deref() | Index() | Variable():
                places = self.address_offsets(value)
                return {o for place in places for o in self.cell_offsets.get(place, ())}
        raise Unmodelled(f"pointer value {value}")

    def address_offsets(self, lvalue: Expression) -> set[int]:
        """At which offsets of its object an lvalue in memory may lie."""
        match lvalue:
            case Variable():
                return {0}
            case Field(base=base, offset=offset, bit_width=None):
                return {o + offset for o in self.address_offsets(base)}
            case Deref(pointer=pointer):
                return self.value_offsets(pointer)
            case Index(base=base, index=index):
                number = constant_of(index)
                if number is None:
                    raise Unmodelled("an array element with a variable index")
                return {o + number * lvalue.type.size for o in self.address_offsets(base)}
        raise Unmodelled(f"memory access {lvalue}")


def constant_of(expression: Expression) -> int | None:
    """The value of an integer constant expression, through casts."""
    match expression:
        case Constant(value=value):
            return value
        case Cast(operand=operand, type=type_):
            inner = constant_of(operand)
            return type_.wrap(inner) if inner is not None and isinstance(type_, IntegerType) else inner
        case Binary(operator=("+" | "-" | "*") as operator, left=left, right=right, type=IntegerType() as type_):
            a, b = constant_of(left), constant_of(right)
            if a is None or b is None:
                return None
            return type_.wrap(a + b if operator == "+" else a - b if operator == "-" else a * b)
    return None
