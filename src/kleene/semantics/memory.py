"""The memory of a C program as the analysis sees it: objects, cells, and where pointers may point inside objects.

Individuals are memory objects: heap blocks, and variables whose address is taken or that are structs. A pointer is a
pair of an object and an offset; which offsets a pointer variable or a pointer cell may hold is computed beforehand,
without regard to control flow (design.md section 5). A cell is a scalar at an offset of an object.
"""

from __future__ import annotations

from dataclasses import dataclass, field

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
    walk,
)
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Allocate, Assign, DeclareLocal, Free, Havoc, Operation, Realloc, expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import ArrayType, IntegerType, PointerType, RecordType, Type, VoidType
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
    integer_sizes: dict[int, int] = field(default_factory=dict)
    mixes_types: bool = False

    def __post_init__(self) -> None:
        self._classify()
        self._find_cells()
        self._flow()

    # Variables ------------------------------------------------------------------------------------------------

    def _classify(self) -> None:
        taken = address_taken(self.cfa)
        variables: dict[Variable, None] = {g.variable: None for g in self.program.globals}
        for edge in self.cfa.edges:
            for expression in expressions(edge.label):
                variables.update({n: None for n in walk(expression) if isinstance(n, Variable)})
            if isinstance(edge.label, DeclareLocal):
                variables[edge.label.variable] = None
        plain = [v for v in variables if v not in taken]
        self.pointers = tuple(v for v in plain if isinstance(v.type, PointerType))
        self.integers = tuple(v for v in plain if isinstance(v.type, IntegerType))
        self.objects = tuple(v for v in variables if v in taken or isinstance(v.type, RecordType | ArrayType))
        self._kind = {v: "pointer" for v in self.pointers} | {v: "integer" for v in self.integers}
        self._kind |= {v: "object" for v in self.objects}

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
            if isinstance(edge.label, Allocate) and isinstance(edge.label.size, Constant):
                self.sizes.add(edge.label.size.value)
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
                elif isinstance(leaf.type, IntegerType):
                    known = self.integer_sizes.get(leaf.offset, 0)
                    self.integer_sizes[leaf.offset] = max(known, leaf.type.size)
        self.mixes_types = any(layout.union for layout in self.program.records.values()) or self._casts_records()
        for offset, texts in names.items():
            self.cell_offsets[offset] = set()
            self.cell_names[offset] = "|".join(texts)

    def _casts_records(self) -> bool:
        """Whether some pointer to a record is converted to a pointer to something else than void."""
        for edge in self.cfa.edges:
            for expression in expressions(edge.label):
                for node in walk(expression):
                    if isinstance(node, Cast) and isinstance(node.type, PointerType):
                        inner = node.operand.type
                        if (
                            isinstance(inner, PointerType)
                            and {type(inner.target), type(node.type.target)} != {VoidType}
                            and inner.target != node.type.target
                            and VoidType() not in (inner.target, node.type.target)
                        ):
                            return True
        return False

    def overlapped_pointers(self, offset: int, size: int) -> list[int]:
        """The pointer cells that a write of so many bytes at an offset touches."""
        width = self.program.pointer_size
        return [cell for cell in sorted(self.cell_offsets) if cell < offset + size and offset < cell + width]

    def overlapped_integers(self, offset: int, size: int) -> list[int]:
        """The integer cells at other offsets that a write of so many bytes at an offset touches."""
        return [
            cell
            for cell, width in sorted(self.integer_sizes.items())
            if cell != offset and cell < offset + size and offset < cell + width
        ]

    # Offsets --------------------------------------------------------------------------------------------------------

    def _flow(self) -> None:
        self.pointer_offsets = {v: set() for v in self.pointers}
        operations: list[Operation] = [a for g in self.program.globals for a in g.initial]
        operations += [edge.label for edge in self.cfa.edges]
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
            changed = False
            for leaf in leaves(operation.target.type, self.program):
                if isinstance(leaf.type, PointerType):
                    target, source = self.member(operation.target, leaf), self.member(operation.value, leaf)
                    changed |= self._add(target, self.value_offsets(source))
            return changed
        if isinstance(operation, Allocate | Realloc) and isinstance(operation.target.type, PointerType):
            return self._add(operation.target, {0})
        if isinstance(operation, Free | Havoc):
            return False
        return False

    def member(self, base: Expression, leaf: Leaf) -> Expression:
        return Field(base, leaf.name, leaf.type, leaf.offset)

    def _add(self, target: Expression, offsets: set[int]) -> bool:
        changed = False
        if isinstance(target, Variable) and self.kind(target) == "pointer":
            changed = not offsets <= self.pointer_offsets[target]
            self.pointer_offsets[target] |= offsets
            if len(self.pointer_offsets[target]) > MAX_OFFSETS:
                raise Unmodelled(f"{target} may point to too many places inside objects")
            return changed
        for place in self.address_offsets(target):
            known = self.cell_offsets.setdefault(place, set())
            self.cell_names.setdefault(place, f"@{place}")
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
    """The value of an integer constant, through casts."""
    while isinstance(expression, Cast):
        if isinstance(expression.operand, Constant) and isinstance(expression.type, IntegerType):
            return expression.type.wrap(expression.operand.value)
        expression = expression.operand
    return expression.value if isinstance(expression, Constant) else None
