"""Flexible array members, as pointers to blocks that are made with their struct and end with it.

``struct text { size_t n; char d[]; }`` gets a pointer behind its last member, to a block of what
``malloc(sizeof *t + n + 1)`` asks for beyond the offset of `d`. Then it is a text or a list of slots as other blocks.
So does an array of one element, if its struct is made with a size that varies: before C99, there was no other way.
What the program does with such structs in another way leaves the array as it is: a copy, `realloc`, or a size that is
not the struct and something more.
"""

from __future__ import annotations

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
    map_variables,
    without_casts,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Allocate, Assign, EndScope, Free, Operation, Specified
from kleene.cfa.program import CProgram, Function
from kleene.cfa.types import ArrayType, PointerType, RecordField, RecordLayout, RecordType, Type
from kleene.passes.calls.recursive_functions import Procedure, procedures_of, with_one_automaton
from kleene.passes.elements.chains import Chains
from kleene.passes.elements.member_uses import Spots, has_other_uses
from kleene.passes.facts.blocks_of_pointers import array_at_end, factors, terms
from kleene.passes.facts.memory import constant_of
from kleene.passes.facts.relations.questions import Relations
from kleene.passes.pointers.block_types import Copies
from kleene.passes.rewrite import operations_of, rewrite_operation, rewrite_program


def with_flexible_blocks(program: CProgram) -> CProgram:
    """The program with pointers to blocks in the place of flexible array members."""
    members = _flexible_members(program)
    operations = operations_of(program)
    if not members or any(isinstance(o, Specified) for o in operations):
        return program
    if program.entry in program.recursive_functions:
        return program
    arrays = _Arrays(program, members)
    made = [o for o in operations if isinstance(o, Allocate) and arrays.old_record(o.element)]
    if not made or any(o.stack or arrays.rest(o) is None for o in made):
        return program
    whole = with_one_automaton(program)
    relations = Relations(whole, whole.main.cfa)
    procedures = procedures_of(program)
    coders = [_Coder(f, procedures[name], relations, arrays) for name, f in program.functions.items()]
    functions = {coder.function.name: coder.run() for coder in coders}
    new = rewrite_program(replace(program, functions=functions), arrays.rewritten)
    new = replace(new, records=program.records | arrays.layouts)
    handled = {rewrite_operation(o, arrays.rewritten) for coder in coders for o in coder.handled}
    return program if has_other_uses(program, new, arrays, handled) else new


def _flexible_members(program: CProgram) -> dict[str, RecordField]:
    """The last members of structs that are arrays without a length, or of one element, by the names of the structs."""
    members: dict[str, RecordField] = {}
    made = [o for o in operations_of(program) if isinstance(o, Allocate) and constant_of(o.size) is None]
    varying = {o.element.name for o in made if isinstance(o.element, RecordType)}
    for layout in program.records.values():
        last = array_at_end(layout)
        if last is not None and isinstance(last.type, ArrayType) and last.type.count <= (layout.type.name in varying):
            members[layout.type.name] = last
    inside = {f.type.name for r in program.records.values() for f in r.fields if isinstance(f.type, RecordType)}
    return {name: member for name, member in members.items() if name not in inside}


@dataclass(frozen=True)
class _Arrays:
    """The flexible array members of a program, and the structs with pointers in their place."""

    program: CProgram
    members: dict[str, RecordField]
    escape: bool = True

    def new_record(self, record: RecordType) -> RecordType:
        offset = self.offset(record)
        return replace(record, size=offset + self.program.pointer_size)

    def offset(self, record: RecordType) -> int:
        """Where the pointer is: behind the struct, whatever its size is by now."""
        width = self.program.pointer_size
        size = self.program.records[record.name].type.size
        return -(-size // width) * width

    def pointer(self, record: RecordType) -> PointerType:
        array = self.members[record.name].type
        assert isinstance(array, ArrayType)
        return PointerType(self.new_type(array.element), self.program.pointer_size)

    @property
    def layouts(self) -> dict[str, RecordLayout]:
        layouts = {}
        for name, member in self.members.items():
            old = self.program.records[name]
            pointer = replace(member, type=self.pointer(old.type), offset=self.offset(old.type))
            fields = tuple(replace(f, type=self.new_type(f.type)) for f in old.fields[:-1])
            layouts[name] = RecordLayout(self.new_record(old.type), (*fields, pointer))
        return layouts

    @property
    def spots(self) -> Spots:
        """The pointers, and the first bytes of the arrays where they are in the padding of their structs."""
        width = self.program.pointer_size
        spots: Spots = {}
        for name, member in self.members.items():
            start = self.offset(self.program.records[name].type)
            padding = [(member.offset, start)] if member.offset < start else []
            spots[name] = [*padding, (start, start + width)]
        return spots

    def has_arrays(self, type_: Type | None) -> bool:
        return isinstance(type_, RecordType) and type_.name in self.members

    def is_member(self, lvalue: Expression) -> bool:
        """Whether an lvalue is the pointer to an array."""
        if not isinstance(lvalue, Field) or not isinstance(lvalue.base.type, RecordType):
            return False
        record = lvalue.base.type
        return self.has_arrays(record) and lvalue.offset == self.offset(record)

    def old_record(self, type_: Type | None) -> RecordType | None:
        return type_ if isinstance(type_, RecordType) and self.has_arrays(type_) else None

    def new_type(self, type_: Type) -> Type:
        match type_:
            case RecordType() if self.has_arrays(type_):
                return self.new_record(type_)
            case PointerType(target=target):
                return replace(type_, target=self.new_type(target))
            case ArrayType(element=element):
                return replace(type_, element=self.new_type(element))
        return type_

    def rewritten(self, node: Expression) -> Expression:
        """A node of an expression, whose parts are rewritten already: elements become those of blocks."""
        new = self.new_type(node.type)
        match node:
            case Index(base=Field() as array, index=index) if self._is_array(array):
                member = self.member(array.base)
                moved = PointerOffset(member, index, new.size, PointerType(new, self.program.pointer_size))
                return Deref(moved, new)
            case AddressOf(target=Deref(pointer=PointerOffset() as moved)) if self.is_member(moved.pointer):
                return moved if moved.type == new else Cast(moved, new)
            case AddressOf(target=Field() as array) if self._is_array(array):
                member = self.member(array.base)
                return member if member.type == new else Cast(member, new)
        return node if new == node.type else replace(node, type=new)

    def _is_array(self, lvalue: Field) -> bool:
        record = lvalue.base.type
        if not isinstance(record, RecordType) or not self.has_arrays(record):
            return False
        return isinstance(lvalue.type, ArrayType) and lvalue.offset == self.members[record.name].offset

    def member(self, whole: Expression) -> Field:
        """The pointer in a struct."""
        assert isinstance(whole.type, RecordType)
        name = self.members[whole.type.name].name
        return Field(whole, name, self.pointer(whole.type), self.offset(whole.type))

    def rest(self, operation: Allocate) -> Expression | None:
        """The bytes for the array, if the size of a block is the struct and something more."""
        record = self.old_record(operation.element)
        assert record is not None
        member = self.members[record.name]
        assert isinstance(member.type, ArrayType)
        each, type_ = member.type.element.size, operation.size.type
        parts = list(terms(operation.size))
        more = sum(t.value for t in parts if isinstance(t, Constant)) - member.offset
        others = [t for t in parts if not isinstance(t, Constant)]
        if more < 0:
            return None
        if not others:
            return Binary("*", Constant(more // each, type_), Constant(each, type_), type_)
        product = factors(others[0]) if len(others) == 1 else None
        if product is not None and product[1] == each:
            count = product[0] if product[0].type == type_ else Cast(product[0], type_)
            count = Binary("+", count, Constant(more // each, type_), type_) if more >= each else count
            return Binary("*", count, Constant(each, type_), type_)
        rest = others[0]
        for term in others[1:]:
            rest = Binary("+", rest, term, type_)
        return Binary("+", rest, Constant(more, type_), type_) if more else rest


class _Coder:
    """Rewrites the allocations and the ends of structs in one function; their types are still the old ones."""

    def __init__(self, function: Function, procedure: Procedure, relations: Relations, arrays: _Arrays) -> None:
        self.function, self.procedure, self.relations, self.arrays = function, procedure, relations, arrays
        self.chains = Chains(f"{function.name}'flexible block")
        self.handled: list[Operation] = []
        self.copies = Copies(function.cfa)

    def run(self) -> Function:
        for edge in self.function.cfa.edges:
            label = edge.label
            if isinstance(label, Allocate) and self.arrays.old_record(label.element):
                self.chains.connect(self._allocate(edge, label), edge.target, label.place)
            elif isinstance(label, Free) and self._target(label.pointer) is not None:
                self.chains.connect(self._free(edge.source, label), edge.target, label.place)
            else:
                self.chains.edges.append(edge)
        cfa = Cfa(self.function.cfa.entry, self.chains.shorten())
        return replace(self.function, cfa=cfa, locals=(*self.function.locals, *self.chains.locals))

    def _allocate(self, edge: Edge[Operation], operation: Allocate) -> str:
        """The struct, then its array; a size that may wrap is an error: the block may be smaller than the struct."""
        chains, place, arrays = self.chains, operation.place, self.arrays
        record, rest = arrays.old_record(operation.element), arrays.rest(operation)
        assert record is not None and rest is not None
        here = edge.source
        low, high = self.relations.of(map_variables(rest, self.procedure.rename), self.procedure.at(edge.source))
        if low < 0 or high > arrays.program.largest_block:
            wrong, here = chains.maybe(here, place)
            chains.fail(wrong, place, "out_of_bounds", f"the size {operation.size} may wrap")
        here, array = self._make_array(here, operation, record, rest)
        pointer = PointerType(record, arrays.program.pointer_size)
        target = operation.target
        held = target if isinstance(target, Variable) else chains.local(f"$made {record}", pointer)
        size = Constant(arrays.new_record(record).size, operation.size.type)
        here = chains.add(here, replace(operation, target=held, size=size, element=arrays.new_record(record)))
        null, made = chains.branch(here, Comparison("==", held, Constant(0, held.type)), place)
        whole = Deref(held if held.type == pointer else Cast(held, pointer), record)
        end = chains.location()
        made = chains.add(made, Assign(place, arrays.member(whole), array))
        for way in (made, null):
            chains.connect(chains.add(way, EndScope(place, (array,))), end, place)
        if held == target:
            return end
        value = held if target.type == pointer else Cast(held, target.type)
        return chains.add(end, Assign(place, target, value))

    def _make_array(self, here: str, operation: Allocate, record: RecordType, rest: Expression) -> tuple[str, Variable]:
        """The block of the array. It is made before the struct, so that it is there on both ways that `malloc` goes."""
        arrays, chains = self.arrays, self.chains
        array = chains.local(f"$array of {record}", arrays.pointer(record))
        place = replace(operation.place, function=arrays.program.entry)  # a block of the stack that no function ends
        element = arrays.pointer(record).target
        block = Allocate(place, array, rest, element, zeroed=operation.zeroed, may_fail=False, stack=True)
        return chains.add(here, block), array

    def _target(self, pointer: Expression) -> RecordType | None:
        """The struct that a pointer points to; one to `void`, in a function that frees, is a copy of another one."""
        types = self.copies.sources(pointer)
        return self.arrays.old_record(*types) if len(types) == 1 else None

    def _free(self, here: str, operation: Free) -> str:
        chains, place = self.chains, operation.place
        pointer = without_casts(operation.pointer)
        target = self._target(operation.pointer)
        assert target is not None
        null, there = chains.branch(here, Comparison("==", pointer, Constant(0, pointer.type)), place)
        end = chains.location()
        chains.connect(null, end, place)
        typed = PointerType(target, self.arrays.program.pointer_size)
        whole = Deref(pointer if pointer.type == typed else Cast(pointer, typed), target)
        there = chains.add(there, Free(place, self.arrays.member(whole), stack=True))
        self.handled.append(operation)
        chains.connect(chains.add(there, operation), end, place)
        return end
