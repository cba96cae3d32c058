"""Arrays of pointers that are members of structs, as pointers to blocks: then they become lists of slots as blocks do.

``struct trie { int end; struct trie *kid[26]; }`` has a pointer in the place of `kid`, to a block that is made with the
struct and ends with it. The struct keeps its size and the places of its other members. What the program does with the
bytes of the array in another way than by its elements, such as a copy of the struct, leaves the array as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kleene.cfa.expressions import (
    AddressOf,
    Binary,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    PointerOffset,
    Variable,
    walk,
    without_casts,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    CHOICE,
    Allocate,
    Assign,
    DeclareLocal,
    EndScope,
    Free,
    Havoc,
    MemSet,
    Operation,
    Place,
    expressions,
)
from kleene.cfa.program import CProgram, Function
from kleene.cfa.types import ArrayType, IntegerType, PointerType, RecordField, RecordLayout, RecordType, Type
from kleene.passes.elements.chains import Chains
from kleene.passes.elements.member_uses import has_other_uses
from kleene.passes.elements.zeros import with_zeroed_arrays
from kleene.passes.facts.memory import constant_of
from kleene.passes.indices import has_pointers, most_elements, with_constant_sizes
from kleene.passes.pointers.block_types import with_block_types
from kleene.passes.rewrite import operations_of, rewrite_operation


def with_member_blocks(program: CProgram) -> CProgram:
    """The program with pointers to blocks in the place of large arrays of pointers in its structs."""
    if not _Arrays.of(program).records:
        return program
    typed = {
        n: replace(f, cfa=with_block_types(with_constant_sizes(program, f.cfa))) for n, f in program.functions.items()
    }
    given = replace(program, functions=typed)
    arrays = _Arrays.of(given)
    coders = [_Coder(given, arrays, f) for f in typed.values()]
    functions = {c.function.name: c.run() for c in coders}
    new = replace(program, functions=functions, records=program.records | arrays.layouts)
    handled = {operation for coder in coders for operation in coder.handled}
    return program if has_other_uses(given, new, arrays, handled) else new


@dataclass(frozen=True)
class _Arrays:
    """The arrays that become blocks: by record and offset, the member before and after."""

    program: CProgram
    records: dict[str, dict[int, RecordField]]
    spots: dict[str, list[tuple[int, int]]]
    """The bytes of the arrays in each struct that has some, in members of its members too."""
    escape: bool = False
    """Whether the program has addresses of elements in variables or in memory."""

    @staticmethod
    def of(program: CProgram) -> _Arrays:
        indexed = _indexed_members(program)
        records: dict[str, dict[int, RecordField]] = {}
        for layout in program.records.values():
            chosen = {f.offset: f for f in layout.fields if (layout.type.name, f.offset) in indexed}
            if chosen and not layout.union:
                records[layout.type.name] = {k: f for k, f in chosen.items() if _is_large(f.type, program)}
        records = {name: fields for name, fields in records.items() if fields}
        arrays = _Arrays(program, records, {})
        for layout in program.records.values() if records else ():
            spots = [(offset, offset + f.type.size) for offset, f in arrays.inside(layout.type)]
            if spots:
                arrays.spots[layout.type.name] = spots
        return replace(arrays, escape=any(map(arrays.takes_address, operations_of(program)))) if records else arrays

    def takes_address(self, operation: Operation) -> bool:
        """Whether an operation computes the address of an element."""
        if isinstance(operation, MemSet):
            return False
        nodes = (n for x in expressions(operation) for n in walk(x) if isinstance(n, AddressOf))
        return any(self.of_member(part) is not None for n in nodes for part in _prefixes(n.target))

    def inside(self, type_: Type, base: int = 0) -> Iterator[tuple[int, RecordField]]:
        """The arrays in a struct, in its members too, by their offsets."""
        layout = self.program.records.get(type_.name) if isinstance(type_, RecordType) else None
        for member in layout.fields if layout is not None else ():
            if member.offset in self.records.get(layout.type.name if layout else "", {}):
                yield base + member.offset, member
            else:
                yield from self.inside(member.type, base + member.offset)

    def has_arrays(self, type_: Type | None) -> bool:
        return isinstance(type_, RecordType) and type_.name in self.spots

    def is_member(self, lvalue: Expression) -> bool:
        """Whether an lvalue is the pointer to an array."""
        return isinstance(lvalue.type, PointerType) and self.of_member(lvalue) is not None

    def pointer(self, array: Type) -> PointerType:
        assert isinstance(array, ArrayType)
        return PointerType(array.element, self.program.pointer_size, array.count)

    def of_member(self, lvalue: Expression) -> Field | None:
        """The member that is the pointer to an array, for the array."""
        if not isinstance(lvalue, Field) or not isinstance(lvalue.base.type, RecordType):
            return None
        if lvalue.offset not in self.records.get(lvalue.base.type.name, {}):
            return None
        return replace(lvalue, type=self.pointer(lvalue.type)) if isinstance(lvalue.type, ArrayType) else lvalue

    @property
    def layouts(self) -> dict[str, RecordLayout]:
        """The structs with pointers."""
        return {
            name: replace(
                layout,
                fields=tuple(
                    replace(f, type=self.pointer(f.type)) if f.offset in self.records[name] else f
                    for f in layout.fields
                ),
            )
            for name, layout in self.program.records.items()
            if name in self.records
        }


def _prefixes(lvalue: Expression) -> Iterator[Expression]:
    """An lvalue and those of which it is a part."""
    yield lvalue
    while isinstance(lvalue, Field | Index):
        lvalue = lvalue.base
        yield lvalue


def _indexed_members(program: CProgram) -> set[tuple[str, int]]:
    """The arrays that are members and that are indexed by a variable, or by a pointer: record and offset."""
    indexed: set[tuple[str, int]] = set()
    for operation in operations_of(program):
        for node in (n for x in expressions(operation) for n in walk(x)):
            array = node.base if isinstance(node, Index) and constant_of(node.index) is None else None
            array = node.target if isinstance(node, AddressOf) else array
            if isinstance(array, Field) and isinstance(array.base.type, RecordType):
                indexed.add((array.base.type.name, array.offset))
    return indexed


def _is_large(type_: Type, program: CProgram) -> bool:
    if (
        not isinstance(type_, ArrayType)
        or type_.count <= most_elements(program)
        or isinstance(type_.element, ArrayType)
    ):
        return False
    return has_pointers(type_, program)


class _Coder:
    """Rewrites one function."""

    def __init__(self, program: CProgram, arrays: _Arrays, function: Function) -> None:
        self.program, self.arrays, self.function = program, arrays, function
        self.chains = Chains(f"{function.name}'member block")
        self.handled: list[Operation] = []
        self.word = IntegerType(program.pointer_size * 8, signed=False, name="unsigned long")

    def run(self) -> Function:
        cfa = with_zeroed_arrays(
            self.program, self.function.cfa, lambda lvalue: self.arrays.of_member(lvalue) is not None
        )
        place, entry = self.function.place, cfa.entry
        if self.function.name == self.program.entry:
            held = [g.variable for g in self.program.globals if self.arrays.has_arrays(g.variable.type)]
            if held:
                entry = here = self.chains.location()
                for variable in held:
                    here = self._make(here, variable, place, zeroed=True)
                self.chains.connect(here, cfa.entry, place)
        for edge in cfa.edges:
            self._edge(edge)
        new = Cfa(entry, self.chains.shorten() if entry == cfa.entry else tuple(self.chains.edges))
        return replace(self.function, cfa=new, locals=(*self.function.locals, *self.chains.locals))

    def _edge(self, edge: Edge[Operation]) -> None:
        label, here, chains, place = edge.label, edge.source, self.chains, edge.label.place
        new = rewrite_operation(label, self._element)
        match label:
            case Allocate(element=element) if self.arrays.has_arrays(element) and not label.stack:
                assert isinstance(new, Allocate) and element is not None
                here = self._allocate(here, new, element)
            case DeclareLocal(variable=variable) if self.arrays.has_arrays(variable.type):
                here = self._make(chains.add(here, new), variable, place, zeroed=False)
            case EndScope(variables=variables) if self.arrays.escape:
                for variable in variables:
                    here = self._end(here, variable, place)
                here = chains.add(here, new)
            case Free() if self.arrays.escape and self._target(label.pointer) is not None:
                assert isinstance(new, Free)
                here = self._free(here, new)
            case MemSet() if (zeroed := self._zeroed(label)) is not None:
                here = self._zero(here, zeroed, new, place)
            case _:
                chains.edges.append(replace(edge, label=new))
                return
        chains.connect(here, edge.target, place)

    def _element(self, node: Expression) -> Expression:
        """Elements and addresses of arrays, after their parts: the array itself is still there as a member."""
        match node:
            case Index(base=base, index=index) if (member := self.arrays.of_member(base)) is not None:
                moved = PointerOffset(member, index, node.type.size, PointerType(node.type, self.program.pointer_size))
                return Deref(moved, node.type)
            case AddressOf(target=Deref(pointer=PointerOffset() as moved)) if self._is_ours(moved.pointer):
                return moved if moved.type == node.type else Cast(moved, node.type)
            case AddressOf(target=target) if (member := self.arrays.of_member(target)) is not None:
                return member if member.type == node.type else Cast(member, node.type)
        return node

    def _is_ours(self, pointer: Expression) -> bool:
        return self.arrays.of_member(pointer) is not None

    # Objects --------------------------------------------------------------------------------------------------

    def _make(self, here: str, whole: Expression, place: Place, *, zeroed: bool) -> str:
        """Blocks for the arrays of a new object."""
        chains = self.chains
        at_entry = replace(place, function=self.program.entry)  # blocks of the stack that no function ends
        for member in self._members(whole):
            assert isinstance(member.type, PointerType)
            length = chains.local("$length", self.word)
            size = Binary("*", length, Constant(member.type.target.size, self.word), self.word)
            here = chains.add(here, Havoc(place, length, CHOICE))
            here = chains.add(
                here,
                Allocate(at_entry, member, size, member.type.target, zeroed=zeroed, may_fail=False, stack=True),
            )
        return here

    def _members(self, whole: Expression) -> Iterator[Field]:
        """The pointers to the arrays of an object, in its members too."""
        layout = self.program.records.get(whole.type.name) if isinstance(whole.type, RecordType) else None
        for member in layout.fields if layout is not None else ():
            inner = Field(whole, member.name, member.type, member.offset)
            own = self.arrays.of_member(inner)
            if own is not None:
                yield own
            else:
                yield from self._members(inner)

    def _allocate(self, here: str, operation: Allocate, element: Type) -> str:
        chains, place = self.chains, operation.place
        pointer = PointerType(element, self.program.pointer_size)
        target: Expression = operation.target
        if not isinstance(target, Variable):
            target = chains.local(f"$made {element}", pointer)
        here = chains.add(here, replace(operation, target=target))
        null, made = chains.branch(here, Comparison("==", target, Constant(0, target.type)), place)
        whole = Deref(target if target.type == pointer else Cast(target, pointer), element)
        end = chains.location()
        chains.connect(self._make(made, whole, place, zeroed=operation.zeroed), end, place)
        chains.connect(null, end, place)
        if target == operation.target:
            return end
        value = target if operation.target.type == pointer else Cast(target, operation.target.type)
        return chains.add(end, Assign(place, operation.target, value))

    def _end(self, here: str, whole: Expression, place: Place) -> str:
        for member in self._members(whole):
            here = self.chains.add(here, Free(place, member, stack=True))
        return here

    def _target(self, pointer: Expression) -> Type | None:
        """The struct with arrays that a pointer points to, by its type before conversions."""
        inner = without_casts(pointer).type
        target = inner.target if isinstance(inner, PointerType) else None
        return target if self.arrays.has_arrays(target) else None

    def _free(self, here: str, operation: Free) -> str:
        chains, place = self.chains, operation.place
        pointer = without_casts(operation.pointer)
        target = self._target(operation.pointer)
        assert target is not None
        null, there = chains.branch(here, Comparison("==", pointer, Constant(0, pointer.type)), place)
        end = chains.location()
        chains.connect(null, end, place)
        there = self._end(there, Deref(pointer, target), place)
        self.handled.append(operation)
        chains.connect(chains.add(there, operation), end, place)
        return end

    # Zeros ----------------------------------------------------------------------------------------------------

    def _zeroed(self, operation: MemSet) -> Expression | None:
        """The object or array that becomes zero as a whole."""
        pointer = without_casts(operation.pointer)
        if constant_of(operation.value) != 0:
            return None
        if isinstance(pointer, AddressOf):
            whole = pointer.target
        elif isinstance(pointer.type, PointerType):
            whole = Deref(pointer, pointer.type.target)
        else:
            return None
        fits = constant_of(operation.size) == whole.type.size
        return whole if fits and (self.arrays.has_arrays(whole.type) or self.arrays.of_member(whole)) else None

    def _zero(self, here: str, whole: Expression, operation: Operation, place: Place) -> str:
        chains = self.chains
        member = self.arrays.of_member(whole)
        if member is not None:
            return self._zero_block(here, member, place)
        members = list(self._members(whole))
        held = [chains.local(f"$held {m.type} {k}", m.type) for k, m in enumerate(members)]
        for block, member in zip(held, members, strict=True):
            here = chains.add(here, Assign(place, block, member))
        here = chains.add(here, operation)
        self.handled.append(operation)
        for block, member in zip(held, members, strict=True):
            here = self._zero_block(chains.add(here, Assign(place, member, block)), member, place)
        return here

    def _zero_block(self, here: str, member: Expression, place: Place) -> str:
        assert isinstance(member.type, PointerType)
        count, each = Constant(member.type.count, self.word), Constant(member.type.target.size, self.word)
        size = Binary("*", count, each, self.word)
        return self.chains.add(here, MemSet(place, member, Constant(0, self.word), size))
