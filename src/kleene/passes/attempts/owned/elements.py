"""Loads and stores of elements: which of them is meant, and what it has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

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
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    CHOICE,
    Assign,
    DeclareLocal,
    Error,
    Havoc,
    Operation,
    Place,
    Unsupported,
    expressions,
)
from kleene.cfa.program import CProgram
from kleene.cfa.types import CHAR, IntegerType, PointerType
from kleene.passes.attempts.owned.arrays import Arrays
from kleene.passes.attempts.owned.facts import (
    AT_INDEX,
    BESIDE,
    BLOCK,
    ELSE,
    MOST_COPIES,
    NOTHING,
    NULL,
    OTHER,
    WORD,
    Facts,
    Tag,
    numbers_at,
)
from kleene.passes.attempts.owned.reads import Reads
from kleene.passes.attempts.owned.selection import Owned
from kleene.passes.attempts.owned.starts import start_of, start_of_place
from kleene.passes.attempts.owned.sums import Sums
from kleene.passes.elements.chosen import bare
from kleene.passes.facts.memory import constant_of
from kleene.passes.facts.relations.states import State
from kleene.passes.facts.relations.zones import ZERO, relate
from kleene.passes.rewrite import rewrite, rewrite_operation

HELD = "block in an element of array "
"""How the variable is called that points to the block while an element has it; a number follows."""
TRIED, TOUCHED, UNSET = "$tried ", "$touched element", "$unset "
"""How the names of further variables begin: for a block that is not followed, for the first byte of the array, and for
a pointer without a value."""
OUTSIDE = "the index of {} may be out of bounds"


@dataclass(frozen=True)
class Step:
    """One way to go on: the operations of the result, and what is known after them."""

    operations: tuple[Operation, ...]
    facts: Facts
    state: State

    @property
    def is_last(self) -> bool:
        """Whether nothing follows: an error, or what is not supported."""
        return isinstance(self.operations[-1], Error | Unsupported)


class Elements(Sums):
    """Loads and stores of the elements of one array, with the relations of their numbers."""

    def __init__(self, program: CProgram, cfa: Cfa[Operation], own: Owned) -> None:
        super().__init__(program, cfa)
        self.own = own
        self.reads = Reads(own, self._flat_value)
        self.arrays = Arrays(program, own)
        self.live: Mapping[str, frozenset[Variable]] = {}
        """The variables that are read behind each location; `Following` sets it."""
        self.loaded: dict[str, set[Tag]] = {}
        """What elements may have where they are read, by location: what the followed one had there."""
        self.changed: set[str] = set()
        """Where it had something new."""
        self._always_inside: dict[tuple[Deref, str], bool] = {}
        self.follows_slot = False
        self.told: frozenset[Variable] = frozenset()
        """The indices on whose sides elements are told apart."""
        target = next(iter(v.type for v in sorted(own.holders, key=str)))
        before = sum(v.name.startswith(HELD) for v in program.main.locals)
        self.held = Variable(f"{HELD}{before + 1}", target)

    def _byte_kinds(self) -> frozenset[object]:
        """No texts are followed: `with_text_blocks` has done so before, and what is left touches their first byte."""
        return frozenset()

    def _is_inside(self, element: Deref, state: State, location: str) -> bool:
        """Whether an element is in the array: by what is known with facts, or else of all runs."""
        return self._is_known_inside(element, state.copy()) or self._is_always_inside(element, location)

    def _is_always_inside(self, element: Deref, location: str) -> bool:
        """Whether an element is in the array in all runs: states with facts are widened more often."""
        answer = self._always_inside.get((element, location))
        if answer is None:
            pointer = bare(element.pointer)
            base: Expression = pointer
            index: Expression = Constant(0, WORD)
            if isinstance(pointer, PointerOffset):
                base, index = pointer.pointer, pointer.index
            answer = self.inside(base, index, self.own.scale, location)
            self._always_inside[element, location] = answer
        return answer

    def _is_known_inside(self, element: Deref, state: State) -> bool:
        pointer = bare(element.pointer)
        if isinstance(pointer, PointerOffset):
            base, by = self.pointer(pointer.pointer, state), self.number(pointer.index, state)
        else:
            base, by = self.pointer(pointer, state), state.fresh(0, 0)
        if self._fits(state, base, by, self.own.scale, room_needed=1):
            return True
        place = self.place(state, base, by, self.own.scale)
        return place is not None and self._is_in(state, *place, self.own.scale)

    def _number_of(self, element: Deref, state: State) -> int:
        """The number of an element that is inside of the array, as a symbol of the state."""
        scale, pointer = self.own.scale, bare(element.pointer)
        symbol = self.pointer(pointer, state)
        at = self._part(state, "behind", symbol, scale)
        room = self._part(state, "room", symbol, scale)
        if at is None:
            at = state.fresh(0, self.program.largest_block)
        state.zone.add(ZERO, at, 0)
        if isinstance(pointer, PointerOffset):
            base = self.pointer(pointer.pointer, state)
            whole, behind = (self._part(state, kind, base, scale) for kind in ("room", "behind"))
            if whole is not None and behind is not None and state.interval(behind) == (0, 0):
                state.zone.add(at, whole, -1)
        elif room is not None:
            state.zone.add(ZERO, room, -1)
        return at

    def _touch_number(
        self, edge: Edge[Operation], element: Deref, facts: Facts, state: State, after: State
    ) -> Iterator[Step]:
        """A number in an element is read or written: the element must be there, and the number is any."""
        label = edge.label
        yield from self._outside(element, facts, state, edge)
        if not facts.made:
            return
        target, touch = getattr(label, "target", None), self._touch(element, label.place)
        yield Step(
            (*touch, Havoc(label.place, target, CHOICE)) if isinstance(target, Variable) else touch, facts, after
        )

    def _touch(self, element: Deref, place: Place) -> tuple[Operation, ...]:
        """Access to the first byte of the array, which must be there."""
        pointer = self._flat_value(element.pointer)
        byte = PointerType(CHAR, pointer.type.size)
        return (Assign(place, Variable(TOUCHED, CHAR), Deref(Cast(pointer, byte), CHAR)),)

    @staticmethod
    def _where(at: int, state: State, numbers: Iterable[Variable]) -> Iterator[tuple[Variable | None, State]]:
        """The states in which a number is one of some, or none of them: less or greater, as zones know no other."""
        others = [state]
        for number in numbers:
            apart = []
            for other in others:
                for operator in ("==", "<", ">"):
                    here = other.copy()
                    if relate(operator, at, here.held[number], here.zone):
                        if operator == "==":
                            yield number, here
                        else:
                            apart.append(here)
            others = apart
        yield from ((None, other) for other in others)

    @staticmethod
    def compared(number: Variable, index: Variable, state: State) -> Iterator[tuple[str, State]]:
        """The states in which an element is before an index, at it, or behind it."""
        if index not in state.held or state.held[index] not in state.zone.bounds:
            yield "?", state
            return
        for operator in ("<", "==", ">"):
            here = state.copy()
            if relate(operator, here.held[number], here.held[index], here.zone):
                yield operator, here

    def indices_of(self, label: Operation) -> frozenset[Variable]:
        """The variables that say which element an operation means, by way of copies, too."""
        nodes = {n for x in expressions(label) for n in walk(x)}
        pointers = [self.own.element(n)[0].pointer for n in nodes if self.own.is_element(n)]
        found = {v for p in pointers for v in walk(p) if isinstance(v, Variable) and _is_number(v)}
        while more := {o for v in found for o in self._origins.get(v, ())} - found:
            found |= more
        return frozenset(found)

    @cached_property
    def indexed(self) -> dict[Variable, frozenset[Variable]]:
        """The pointers to arrays of which a number is an index, by way of copies, too."""
        found: dict[Variable, frozenset[Variable]] = {}
        for operation in self.own.blocks.operations:
            nodes = {n for x in expressions(operation) for n in walk(x) if self.own.is_element(n)}
            starts = {start_of(bare(self.own.element(n)[0].pointer)) for n in nodes}
            pointers = frozenset(p for p in starts if isinstance(p, Variable))
            for index in self.indices_of(operation) if pointers else ():
                found[index] = found.get(index, frozenset()) | pointers
        return found

    @cached_property
    def _origins(self) -> dict[Variable, set[Variable]]:
        """The variables from which numbers are copied, as they are or by a sum."""
        origins: dict[Variable, set[Variable]] = {}
        for operation in self.own.blocks.operations:
            if (
                isinstance(operation, Assign)
                and isinstance(operation.target, Variable)
                and _is_number(operation.target)
            ):
                read = {n for n in walk(operation.value) if isinstance(n, Variable) and _is_number(n)}
                origins.setdefault(operation.target, set()).update(read)
        return origins

    def _load_element(
        self, edge: Edge[Operation], target: Variable, lvalue: Expression, facts: Facts, state: State
    ) -> Iterator[Step]:
        place = edge.label.place
        element, member = self.own.element(lvalue)
        yield from self._outside(element, facts, state, edge)
        if not facts.made:
            return
        touch, inside = self._touch(element, place), state.copy()
        at = self._number_of(element, inside)
        for number, here in self._where(at, inside, facts.numbers(*self.places(element, member, facts))):
            after = self.after(edge.label, here)
            if after is None:
                continue
            if number is None:
                tags = self.loaded.get(edge.source, set())
            elif facts.slot is not None:
                tags = {facts.slot}
                self._note(edge.source, facts.slot)
            else:
                tags = {BLOCK}
            known = self._with_load(facts, element, member, number) if len(facts.arrays) == 1 else facts
            for tag in sorted(tags, key=str):
                new = known.with_tag(target, tag)
                yield Step((*touch, *self._get(target, tag, place)), new, after.copy())

    @staticmethod
    def _with_load(facts: Facts, element: Deref, member: int, read: Variable | None) -> Facts:
        """The facts with the followed elements that were read, and those that were not, if a variable is the index."""
        pointer = bare(element.pointer)
        index = bare(pointer.index) if isinstance(pointer, PointerOffset) else None
        if isinstance(index, Variable):
            for number in facts.numbers(facts.places(0)[member]):
                facts = facts.loaded(number, AT_INDEX if number == read else BESIDE, index)
        return facts

    def _note(self, location: str, tag: Tag) -> None:
        if tag not in self.loaded.setdefault(location, set()):
            self.loaded[location].add(tag)
            self.changed.add(location)

    def _get(self, target: Variable, tag: Tag, place: Place) -> tuple[Operation, ...]:
        """A variable gets what a tag says."""
        if tag == BLOCK:
            return (Assign(place, target, like(self.held, target)),)
        if tag == NOTHING:
            unset = Variable(f"{UNSET}{target.type}", target.type)
            return DeclareLocal(place, unset), Assign(place, target, unset)
        if isinstance(tag, AddressOf):
            return (Assign(place, target, like(tag, target)),)
        return (Assign(place, target, Constant(0, target.type)),)

    def _outside(self, element: Deref, facts: Facts, state: State, edge: Edge[Operation]) -> Iterator[Step]:
        place = edge.label.place
        if not facts.made:
            yield Step((*self._touch(element, place), Unsupported(place, "an array that is not there")), facts, state)
        elif not self._is_inside(element, state, edge.source):
            error = Error(place, "out_of_bounds", OUTSIDE.format(element))
            yield Step((*self._touch(element, place), error), facts, state)

    def _store_element(self, edge: Edge[Operation], label: Assign, facts: Facts, state: State) -> Iterator[Step]:
        place, value = label.place, label.value
        target, member = self.own.element(label.target)
        yield from self._outside(target, facts, state, edge)
        if not facts.made:
            return
        touch, tag = self._touch(target, place), self._tag_of(value, facts)
        if tag == ELSE:
            yield self._unsupported(
                "an element that is a pointer into a block, or to something else", label, facts, state
            )
            return
        inside = state.copy()
        at = self._number_of(target, inside)
        ways = [
            (own, way)
            for own in self.places(target, member, facts)
            for way in self._where(at, inside, facts.numbers(own))
        ]
        for own, (number, here) in ways:
            operations, new = touch, facts
            if facts.slot is not None:
                new = replace(facts, slot=tag) if number is not None else facts
            elif tag != BLOCK and number is not None:
                operations += (Assign(place, self.held, Constant(0, self.held.type)),) if facts.count == 1 else ()
                new = self._without(facts, number, here)
            elif tag == BLOCK and number is None:
                if facts.copies[own] == MOST_COPIES:
                    yield self._unsupported("a block that too many elements have", label, facts, state)
                    continue
                new = facts.with_copies(own, 1)
                here.held[new.numbers(own)[-1]] = at
                operations += () if facts.count else (Assign(place, self.held, like(bare(value), self.held)),)
            after = self.after(label, here)
            if after is not None:
                yield Step(operations, new, ordered(new, after))

    @staticmethod
    def places(element: Deref, member: int, facts: Facts) -> list[int]:
        """The places that a member of an element may be: one for each array into which its pointer may point."""
        return [facts.places(array)[member] for array in sorted(facts.base(start_of(bare(element.pointer))))]

    @staticmethod
    def _unsupported(reason: str, label: Operation, facts: Facts, state: State) -> Step:
        return Step((Unsupported(label.place, reason),), facts, state)

    @staticmethod
    def _without(facts: Facts, number: Variable, state: State) -> Facts:
        """One element has the block no more."""
        place = next(m for m in range(len(facts.copies)) if number in facts.numbers(m))
        own = facts.numbers(place)
        left = [state.held[v] for v in own if v != number]
        for variable in own:
            del state.held[variable]
        state.held.update(zip(own, left, strict=False))
        return facts.with_copies(place, -1)

    def _tag_of(self, value: Expression, facts: Facts) -> Tag:
        inner = bare(value)
        if constant_of(inner) == 0:
            return NULL
        if isinstance(inner, Variable) and inner in self.own.holders:
            return facts.tag(inner)
        if isinstance(inner, AddressOf) and isinstance(inner.target, Variable):
            return inner
        start = start_of_place(inner) if isinstance(inner, Deref | Field | Index) else start_of(inner)
        return OTHER if isinstance(start, Variable) and facts.tag(start) == OTHER else ELSE

    # Expressions ----------------------------------------------------------------------------------------------

    def _flat(self, operation: Operation) -> Operation:
        """The operation with the array in the place of its elements."""
        return rewrite_operation(operation, self._start)

    def _flat_value(self, expression: Expression) -> Expression:
        return rewrite(expression, self._start)

    def _start(self, node: Expression) -> Expression:
        if isinstance(node, PointerOffset) and self.own.is_array(node.pointer):
            return like(node.pointer, node)
        return node


def _is_number(variable: Variable) -> bool:
    return isinstance(variable.type, IntegerType)


def ordered(facts: Facts, state: State) -> State:
    """The numbers of the elements that have the block in their order, as far as it is known."""
    for place, copies in enumerate(facts.copies):
        own = numbers_at(place, copies)
        for _ in own:
            for one, two in pairwise(own):
                a, b = state.held[one], state.held[two]
                if state.zone.upper(b, a) <= 0:
                    state.held[one], state.held[two] = b, a
    return state


def like(pointer: Expression, old: Expression) -> Expression:
    return pointer if pointer.type == old.type else Cast(pointer, old.type)
