"""The pass: every operation on an array that becomes a list, as operations on slots."""

from __future__ import annotations

from dataclasses import replace

from kleene.cfa.expressions import (
    MIRRORED,
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
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    DeclareLocal,
    EndScope,
    Enter,
    Free,
    Havoc,
    Invoke,
    MemCopy,
    MemSet,
    Operation,
    Place,
    Realloc,
    Skip,
    Unsupported,
    expressions,
)
from kleene.cfa.program import CProgram
from kleene.cfa.types import IntegerType, PointerType
from kleene.passes.elements.chains import Chains
from kleene.passes.elements.chosen import Chosen, bare
from kleene.passes.elements.conditions import Conditions
from kleene.passes.elements.escapes import Escapes, SettledPointers, last_reads
from kleene.passes.elements.index_variables import with_index_variables
from kleene.passes.elements.known_states import without_impossible_ways
from kleene.passes.elements.lists import FREED, Lists
from kleene.passes.elements.positions import Positions
from kleene.passes.elements.slots import Slot, leads_to_array
from kleene.passes.facts.blocks_of_pointers import Blocks, factors, is_whole
from kleene.passes.facts.liveness import live_before
from kleene.passes.facts.memory import constant_of
from kleene.passes.facts.relations.questions import Relations
from kleene.passes.rewrite import with_parts

FEW = 3
"""Slots that are counted one by one, for a constant index."""


def with_element_lists(program: CProgram, *, on_stack: bool = False) -> CProgram:
    """The program with lists of slots for its blocks of pointers of variable sizes, on the heap or on the stack."""
    cfa = program.main.cfa
    makes_arrays = any(_makes_array(edge.label, on_stack=on_stack) for edge in cfa.edges)
    if set(program.functions) != {program.entry} or not makes_arrays:
        return program
    chosen = Chosen(program, cfa, Blocks(program, cfa), on_stack)
    if not chosen.slots:
        return program
    beside, compared = with_index_variables(program, chosen)
    if beside is not program:
        program, cfa = beside, beside.main.cfa
        chosen = Chosen(program, cfa, Blocks(program, cfa), on_stack, compared)
    coder = _Coder(program, cfa, chosen)
    new = coder.run()
    records = program.records | {s.record.name: s.layout for s in chosen.slots.values()}
    main = replace(program.main, cfa=new, locals=(*program.main.locals, *coder.chains.locals))
    return replace(program, functions={main.name: main}, records=records)


def _makes_array(operation: Operation, *, on_stack: bool) -> bool:
    if not isinstance(operation, Allocate | Realloc) or constant_of(operation.size) is not None:
        return False
    return on_stack == (isinstance(operation, Allocate) and operation.stack)


def _unused_prefix(cfa: Cfa[Operation]) -> str:
    """How the names of new locations begin: the pass may run again."""
    prefix = "element"
    while any(name.startswith(prefix) for name in cfa.locations):
        prefix = f"more {prefix}"
    return prefix


class _NotFollowed(Exception):
    """An operation on slots that is not supported."""


class _Coder:
    """Rewrites one automaton."""

    def __init__(self, program: CProgram, cfa: Cfa[Operation], chosen: Chosen) -> None:
        self.program, self.cfa, self.chosen = program, cfa, chosen
        self.relations = Relations(program, cfa)
        self.chains = Chains(_unused_prefix(cfa))
        self.lists = Lists(program, self.chains)
        self.positions = Positions(chosen, self.relations, self.chains, self.lists)
        self.conditions = Conditions(self.positions)
        self.escapes = Escapes(chosen)
        self.settled = SettledPointers(chosen, self.relations)
        self.last_reads = last_reads(cfa, chosen)
        self.live = live_before(cfa, {pair[1] for pair in chosen.pairs})
        self.before_condition: dict[tuple[str, Expression], tuple[str, Operation]] = {}
        self.fresh = 0

    def run(self) -> Cfa[Operation]:
        place = self.cfa.leaving(self.cfa.entry)[0].label.place
        entry = f"{self.cfa.entry}{self.chains.prefix}"
        self.chains.connect(self.positions.start(entry, place), self.cfa.entry, place)
        for edge in self.cfa.edges:
            self._edge(edge)
        states = {self.positions.state(pair) for pair in self.positions.pairs}
        self.chains.edges = list(without_impossible_ways(Cfa(entry, tuple(self.chains.edges)), states).edges)
        return Cfa(entry, self.chains.shorten())

    def _edge(self, edge: Edge[Operation]) -> None:
        if edge.source not in self.relations.at:
            self.chains.edges.append(edge)
            return
        if isinstance(edge.label, Assume) and edge.target not in self.relations.at:
            return  # no run goes there
        self.positions.live = self.live[edge.target]
        try:
            here, operation = self._before(edge)
            here = self._apply(here, edge, operation)
        except _NotFollowed as reason:
            here = self.chains.add(edge.source, Unsupported(edge.label.place, str(reason)))
        self.chains.connect(here, edge.target, edge.label.place)

    def _before(self, edge: Edge[Operation]) -> tuple[str, Operation]:
        """The operation on slots, and where it begins, after the slots of its accesses are looked up."""
        label = edge.label
        if isinstance(label, Assume) and (edge.source, label.condition) in self.before_condition:
            here, known = self.before_condition[edge.source, label.condition]
            assert isinstance(known, Assume)
            return here, replace(known, truth=label.truth)
        visit = _Visit(self, edge)
        operation: Operation = label
        if isinstance(label, MemSet) and (element := self._zeroed_element(label)) is not None:
            access = visit.value(element)
            assert isinstance(access, Deref)
            return visit.here, replace(label, pointer=access.pointer)
        if not isinstance(label, DeclareLocal | EndScope):
            operation = with_parts(label, visit.value)
        if isinstance(label, Assume):
            assert isinstance(operation, Assume)
            operation = replace(operation, condition=self._end_test(label.condition, operation.condition, edge.source))
            if self.conditions.knows(label.condition):  # what it says about numbers, it says about slots
                test = self.conditions.zero_test(label.condition, edge.source)
                if test is None:
                    visit.here = self.chains.read(visit.here, operation.condition, label.place)
                    visit.here, test = self.chains.choice(visit.here, label.place)
                operation = replace(operation, condition=test)
            self.before_condition[edge.source, label.condition] = visit.here, operation
        return visit.here, operation

    def _end_test(self, condition: Expression, on_slots: Expression, location: str) -> Expression:
        """``p < end`` as ``p != end``, and ``p >= end`` as ``p == end``, on slots: nothing is behind the end.

        There is only one such array: pointers into two of them have any order.
        """
        if not isinstance(condition, Comparison) or not isinstance(on_slots, Comparison):
            return on_slots
        left, right, order = condition.left, condition.right, condition.operator
        for pointer, end, operator in ((left, right, order), (right, left, MIRRORED[order])):
            equation = {"<": "!=", ">=": "=="}.get(operator)
            moved = bare(end)
            if equation is None or not isinstance(moved, PointerOffset) or not isinstance(pointer.type, PointerType):
                continue
            if self.chosen.only_start(pointer) is None or self.chosen.kinds(pointer) != self.chosen.kinds(end):
                continue
            if self.relations.length_is(moved.pointer, moved.index, moved.scale, location):
                return replace(on_slots, operator=equation)
        return on_slots

    def _apply(self, here: str, edge: Edge[Operation], operation: Operation) -> str:
        """The operation itself, and what follows for the slots of indices."""
        label, place = edge.label, edge.label.place
        match label:
            case Allocate() if self.chosen.blocks.of_allocation(label) in self.chosen.slots:
                assert isinstance(operation, Allocate)
                here, made = self._allocate(here, operation, label, edge.source)
                here = self.chains.add(here, Assign(place, operation.target, _like(made, operation.target)))
            case Realloc() if (
                self.chosen.slot(label.pointer) or self.chosen.blocks.of_allocation(label) in self.chosen.slots
            ):
                assert isinstance(operation, Realloc)
                if self.escapes.outlive(label.pointer, edge.target):
                    raise _NotFollowed("realloc of an array of pointers, with pointers into it")
                return self._reallocate(here, operation, label, edge.source)
            case MemSet() if (element := self._zeroed_element(label)) is not None:
                assert isinstance(operation, MemSet)
                slot = self.chosen.slot(label.pointer)
                assert slot is not None
                here = self.lists.clear(here, operation.pointer, slot, place)
                return self.positions.memory_written(here, element, place)
            case MemSet() if self.chosen.slot(label.pointer) is not None:
                assert isinstance(operation, MemSet)
                return self._set(here, operation, label, edge.source)
            case MemCopy() if self.chosen.slot(label.destination) or self.chosen.slot(label.source):
                raise _NotFollowed("a copy of an array of pointers")
            case Free() if self.chosen.kinds(label.pointer) & self.chosen.slots.keys():
                assert isinstance(operation, Free)
                here = self._end(here, operation, label, edge.target)
            case Free(pointer=Deref(pointer=holder)) if self.chosen.only_slots(holder):
                assert isinstance(operation, Free)
                here = self.chains.add(here, operation)
                here = self.lists.lose(here, operation.pointer, FREED, place)
            case Assign() if edge in self.last_reads or self._copies_element(label):
                assert isinstance(operation, Assign)
                here = self.lists.move(here, operation)
            case _:
                here = self.chains.add(here, operation)
        match label:
            case Assume():
                here = self.conditions.compare(here, label, edge.source)
                for number in self.relations.told_nonzero(label, edge.source):
                    here = self.chains.only(here, Comparison("!=", number, Constant(0, number.type)), place)
                return here
            case Assign(target=target, value=value):
                return self._assign(here, target, value, edge.source, place)
            case Allocate(target=target) | Havoc(target=target):
                return self._assign(here, target, None, edge.source, place)
            case Free(pointer=pointer):
                return self.positions.free(here, pointer, place)
            case DeclareLocal(variable=variable):
                return self._assign(here, variable, None, edge.source, place)
            case Invoke(target=target):
                here = self.positions.call(here, place)
                return self._assign(here, target, None, edge.source, place) if isinstance(target, Variable) else here
            case Enter():
                body = Cfa(edge.source, self.cfa.edges).reachable
                nodes = {n for e in self.cfa.edges if e.source in body for x in expressions(e.label) for n in walk(x)}
                return self.positions.begin(here, [p for p in self.positions.pairs if p[1] in nodes], place)
        return here

    def _copies_element(self, label: Assign) -> bool:
        """Whether a pointer goes from one element of an array to another one of the same array."""
        sides = [bare(side) for side in (label.target, label.value)]
        moved = [bare(side.pointer) for side in sides if isinstance(side, Deref)]
        arrays = {bare(at.pointer) for at in moved if isinstance(at, PointerOffset) and self.chosen.slot(at.pointer)}
        both = len(moved) == 2 and all(isinstance(at, PointerOffset) for at in moved)
        return both and len(arrays) == 1 and isinstance(label.value.type, PointerType)

    def _end(self, here: str, operation: Free, label: Free, after: str) -> str:
        """The end of a block; its slots end with it where a pointer to one of them is left."""
        if self.escapes.outlive(label.pointer, after):
            slot = self.chosen.slot(label.pointer)
            if slot is None or not self.chosen.only_slots(label.pointer):
                raise _NotFollowed("the end of an array of pointers or of something else, with pointers into it")
            return self.lists.end_all(here, operation, slot)
        return here if label.stack else self.chains.add(here, operation)

    def _assign(self, here: str, target: Expression, value: Expression | None, location: str, place: Place) -> str:
        if not isinstance(target, Variable):
            return self.positions.memory_written(here, target, place)
        if isinstance(target.type, PointerType):
            return self.positions.array_assigned(here, target, bare(value) if value is not None else None, place)
        if value is not None and isinstance(bare(value), Binary) and self.relations.is_nonzero(value, location):
            here = self.chains.only(here, Comparison("!=", target, Constant(0, target.type)), place)
        return self.positions.index_assigned(here, target, value, location, place)

    def _allocate(self, here: str, operation: Allocate, label: Allocate, location: str) -> tuple[str, Variable]:
        slot = self.chosen.slots[self.chosen.blocks.of_allocation(label)]
        here = self.chains.read(here, operation.size, label.place)
        product = factors(label.size)
        if product is None or (slot.element.size % product[1] and product[1] != slot.element.size):
            raise _NotFollowed("an array of pointers whose size is not a number of elements")
        count = self.relations.of(product[0], location)
        empty = count[0] <= 0 or not is_whole(count, product[1], label.size.type)
        empty &= not leads_to_array(label.target.type)
        return self.lists.allocate(here, operation, slot, may_be_empty=empty)

    def _reallocate(self, here: str, operation: Realloc, label: Realloc, location: str) -> str:
        place, chains = label.place, self.chains
        slot = self.chosen.slots.get(self.chosen.blocks.of_allocation(label))
        if slot is None or not (self.chosen.kinds(label.pointer) <= set(self.chosen.slots)):
            raise _NotFollowed("realloc of an array of pointers as something else")
        if self.chosen.slot(label.pointer) not in (slot, None):
            raise _NotFollowed("realloc of an array of pointers as another one")
        product = factors(label.size)
        if product is None or product[1] != slot.element.size:
            raise _NotFollowed("an array of pointers whose size is not a number of elements")
        old = chains.local(f"$old {slot.element}", slot.pointer)
        here = chains.read(here, operation.size, place)
        here = chains.add(here, Assign(place, old, slot.as_slot(operation.pointer)))
        null, moved = chains.branch(here, Comparison("==", old, slot.null), place)
        end = chains.location()
        made = Allocate(place, operation.target, operation.size, slot.element, may_fail=operation.may_fail)
        empty = not self.relations.is_nonzero(product[0], location)
        null, fresh = self.lists.allocate(null, made, slot, may_be_empty=empty)
        shrinks = not self.relations.has_at_most(label.pointer, product[0], slot.element.size, location)
        moved, grown = self.lists.reallocate(moved, operation, old, slot, may_shrink=shrinks)
        null = chains.add(null, Assign(place, operation.target, _like(fresh, operation.target)))
        chains.connect(self._assign(null, label.target, None, location, place), end, place)
        failed, moved = chains.branch(moved, Comparison("==", grown, slot.null), place)
        failed = chains.add(failed, Assign(place, operation.target, Constant(0, operation.target.type)))
        chains.connect(self._assign(failed, label.target, None, location, place), end, place)
        chains.connect(self._carry(moved, operation, label, old, grown, keeps=not shrinks), end, place)
        return end

    def _carry(
        self, here: str, operation: Realloc, label: Realloc, old: Variable, new: Variable, *, keeps: bool
    ) -> str:
        """The slots of indices in a block that was moved: only the first one is another. Then the old block ends."""
        place, chains, positions = label.place, self.chains, self.positions
        source = bare(label.pointer)
        for pair in positions.with_array(source) if keeps else ():
            if not positions.matters(pair):
                continue
            at = positions.at(pair)
            first, other = chains.branch(here, Comparison("==", at, old), place)
            here = chains.location()
            chains.connect(chains.add(first, Assign(place, at, new)), here, place)
            chains.connect(other, here, place)
        here = positions.grown(here, source, place) if keeps else positions.free(here, label.pointer, place)
        here = chains.add(here, Free(place, old))
        here = chains.add(here, Assign(place, operation.target, _like(new, operation.target)))
        if not isinstance(label.target, Variable):
            here = positions.memory_written(here, label.target, place)
            return positions.free(here, label.pointer, place)
        here = positions.array_assigned(here, label.target, source if keeps else None, place)
        for pair in positions.with_array(source) if keeps and source != label.target else ():
            here = positions.forget(here, pair, place)
        return here

    def _zeroed_element(self, label: MemSet) -> Deref | None:
        """The element that `memset` makes zero, if it is one element of an array and nothing else."""
        slot = self.chosen.slot(label.pointer)
        if slot is None or not self.chosen.only_slots(label.pointer) or constant_of(label.value) != 0:
            return None
        return Deref(label.pointer, slot.element) if constant_of(label.size) == slot.element.size else None

    def _set(self, here: str, operation: MemSet, label: MemSet, location: str) -> str:
        slot, product = self.chosen.slot(label.pointer), factors(label.size)
        bytes_ = constant_of(label.size)
        if slot is not None and bytes_ is not None and bytes_ % slot.element.size == 0:
            product = Constant(bytes_ // slot.element.size, self.lists.word), slot.element.size
        whole = (
            slot is not None
            and product is not None
            and product[1] == slot.element.size
            and self.relations.length_is(label.pointer, product[0], slot.element.size, location)
        )
        if slot is None or not whole or constant_of(label.value) != 0 or not self.chosen.only_slots(label.pointer):
            raise _NotFollowed("memset of a part of an array of pointers")
        here = self.chains.read(here, operation.size, label.place)
        return self.lists.zero_all(here, operation.pointer, slot, label.place)


class _Visit:
    """The accesses of one operation: the slots are looked up from `here` on."""

    def __init__(self, coder: _Coder, edge: Edge[Operation]) -> None:
        self.coder, self.chosen, self.chains = coder, coder.chosen, coder.chains
        self.edge, self.here, self.place = edge, edge.source, edge.label.place

    def value(self, expression: Expression) -> Expression:
        """The expression on slots."""
        if not any(isinstance(n, PointerOffset | Deref | Index) for n in walk(expression)):
            return expression
        match expression:
            case AddressOf(target=target):
                return replace(expression, target=self._place(target))
            case PointerOffset(pointer=pointer) if (slot := self.chosen.slot(pointer)) is not None:
                return _like(self._address(expression, slot), expression)
            case Deref(pointer=pointer) if (slot := self.chosen.slot(pointer)) is not None:
                return self._access(expression, slot)
        return with_parts(expression, self.value)

    def _place(self, lvalue: Expression) -> Expression:
        """An lvalue of which only the address is computed."""
        match lvalue:
            case Field(base=base):
                return replace(lvalue, base=self._place(base))
            case Index(base=base, index=index):
                return replace(lvalue, base=self._place(base), index=self.value(index))
            case Deref(pointer=pointer):
                return replace(lvalue, pointer=self.value(pointer))
        return lvalue

    def _access(self, access: Deref, slot: Slot) -> Expression:
        """An access to an element, after the check that it is no end."""
        pointer = bare(access.pointer)
        coder, chains, place, location = self.coder, self.chains, self.place, self.edge.source
        if isinstance(pointer, PointerOffset):
            inside = coder.relations.inside(pointer.pointer, pointer.index, pointer.scale, location)
        else:
            inside = coder.relations.inside(pointer, _zero(self.coder.lists.word), slot.element.size, location)
        inside = inside or coder.settled.has(pointer)
        element = self._element(pointer) if isinstance(pointer, PointerOffset) else self.value(access.pointer)
        if not self.chosen.only_slots(pointer):
            if not inside:
                raise _NotFollowed("an access to an element of an array of pointers or to something else")
            return replace(access, pointer=_like(element, access.pointer))
        message = f"the index of {access} may be out of bounds"
        if isinstance(pointer, PointerOffset):
            outside, self.here = chains.branch(self.here, Comparison("==", bare(element), slot.null), place)
            if not inside:
                chains.fail(outside, place, "out_of_bounds", message)
        end = slot.is_end(bare(element))
        if inside:
            self.here = chains.only(self.here, end, place, truth=False)
        else:
            over, self.here = chains.branch(self.here, end, place)
            chains.fail(over, place, "out_of_bounds", message)
        return replace(access, pointer=_like(element, access.pointer))

    def _address(self, moved: PointerOffset, slot: Slot) -> Expression:
        """The slot of an element of which only the address is computed: it may be the end."""
        relations, place, source = self.coder.relations, self.place, self.edge.source
        element = self._element(moved, accessed=False)
        self.here = self.chains.only(self.here, Comparison("!=", bare(element), slot.null), place)
        if relations.inside(moved.pointer, moved.index, moved.scale, source):
            self.here = self.chains.only(self.here, slot.is_end(bare(element)), place, truth=False)
        return element

    def _element(self, moved: PointerOffset, *, accessed: bool = True) -> Expression:
        """The slot of an element: the array must be there. If only its address is computed, it may be the end.

        Slots are looked for from that of the pointer on, but for the one before it.
        """
        if not self.chosen.only_slots(moved.pointer):
            raise _NotFollowed("a pointer into an array of pointers or to something else")
        slot = self.chosen.slot(moved.pointer)
        assert slot is not None
        coder, chains, place = self.coder, self.chains, self.place
        array = self.value(moved.pointer)
        index = self.value(moved.index)
        if not leads_to_array(array.type):
            touched = chains.local(f"$touched {slot.element}", slot.pointer)
            self.here = chains.add(self.here, Assign(place, touched, slot.following(array)))
        elif not isinstance(array, Variable):  # the array of a struct is there if the struct is
            touched = chains.local(f"$touched {array.type}", array.type)
            self.here = chains.add(self.here, Assign(place, touched, array))
        variable = self.chosen.index_variable(moved.index)
        pair = (bare(moved.pointer), variable)
        first = self._start_before(moved) if pair not in self.chosen.pairs else None
        if first is None and self._goes_back(moved):
            raise _NotFollowed("an element before the one that a pointer into an array points to")
        outside = not coder.relations.inside(
            moved.pointer, moved.index, moved.scale, self.edge.source, or_end=not accessed
        )
        if variable is not None and pair in self.chosen.pairs:
            if outside and not accessed:
                self._maybe_outside()  # there is no such address
            self.here, element = coder.positions.look_up(self.here, pair, array, slot, self.edge.source, place)
            return element
        coder.fresh += 1
        element = chains.local(f"$element{coder.fresh}", slot.pointer)
        low, high = coder.relations.of(index, self.edge.source)
        if low == high and 0 <= low <= FEW:
            self.here = chains.read(self.here, index, place)
            self._count(element, array, low, slot)
            return element
        self.here = chains.read(self.here, index, place)
        if first is not None:
            self._step_back(element, array, first, slot)
            return element
        if coder.relations.length_is(moved.pointer, moved.index, moved.scale, self.edge.source):
            self.here = chains.add(self.here, Assign(place, element, slot.as_slot(array)))
            self.here = coder.lists.last(self.here, element, slot, place, before_end=False)
            return element
        if outside:
            self._maybe_outside()
        self.here, some = coder.positions.somewhere(self.here, moved, array, slot, self.edge.source, place)
        self.here = chains.add(self.here, Assign(place, element, some))
        return element

    def _step_back(self, element: Variable, pointer: Expression, first: Variable, slot: Slot) -> None:
        """The slot before that of a pointer, in the only array that it may point to; before the first there is none."""
        chains, place = self.chains, self.place
        self.here = chains.add(self.here, Assign(place, element, slot.as_slot(pointer)))
        over, self.here = chains.branch(self.here, Comparison("==", element, slot.as_slot(first)), place)
        chains.fail(over, place, "out_of_bounds", "an index may be out of bounds")
        self.here, found = self.coder.lists.before(self.here, first, element, slot, place, exists=False)
        none, self.here = chains.branch(self.here, Comparison("==", found, slot.null), place)
        chains.fail(none, place, "out_of_bounds", "an index may be out of bounds")
        self.here = chains.add(self.here, Assign(place, element, found))

    def _start_before(self, moved: PointerOffset) -> Variable | None:
        """The start of the only array that a pointer may point to, if the element before the pointer's is meant."""
        is_before = self.coder.relations.of(moved.index, self.edge.source) == (-1, -1)
        return self.coder.chosen.only_start(moved.pointer) if is_before else None

    def _goes_back(self, moved: PointerOffset) -> bool:
        """Whether an element that is in the array may be before that of the pointer."""
        relations, source = self.coder.relations, self.edge.source
        may_go_back = relations.of(moved.index, source)[0] < 0
        return may_go_back and relations.inside(moved.pointer, moved.index, moved.scale, source)

    def _maybe_outside(self) -> None:
        """An index that may be before the first slot or behind the end: it is an error if the element is accessed."""
        if not isinstance(self.edge.label, Skip):
            outside, self.here = self.chains.maybe(self.here, self.place)
            self.chains.fail(outside, self.place, "out_of_bounds", "an index may be out of bounds")

    def _count(self, element: Variable, array: Expression, count: int, slot: Slot) -> None:
        chains, place = self.chains, self.place
        self.here = chains.add(self.here, Assign(place, element, slot.as_slot(array)))
        for _ in range(count):
            over, self.here = chains.branch(self.here, slot.is_end(element), place)
            chains.fail(over, place, "out_of_bounds", "an index may be out of bounds")
            self.here = chains.add(self.here, Assign(place, element, slot.following(element)))


def _zero(type_: IntegerType) -> Constant:
    return Constant(0, type_)


def _like(pointer: Expression, old: Expression) -> Expression:
    """A pointer to a slot in the place of one to an element."""
    return pointer if pointer.type == old.type else Cast(pointer, old.type)
