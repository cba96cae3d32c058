"""What an operation does to the facts and numbers of a location, and what is left of it in the result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kleene.cfa.expressions import (
    NEGATED,
    AddressOf,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    PointerDifference,
    Unary,
    Variable,
    walk,
)
from kleene.cfa.graph import Edge
from kleene.cfa.operations import (
    CHOICE,
    Allocate,
    Assign,
    Assume,
    DeclareLocal,
    EndScope,
    Error,
    Free,
    Havoc,
    MemSet,
    Operation,
    Print,
    Realloc,
    Return,
    Skip,
    Unsupported,
    expressions,
)
from kleene.cfa.types import CHAR, INT, IntegerType, PointerType, RecordType
from kleene.passes.attempts.owned.elements import TRIED, Elements, Step, ordered
from kleene.passes.attempts.owned.facts import (
    BLOCK,
    ELSE,
    ENDED,
    LIVE,
    MOST_TOGETHER,
    NONE,
    NOTHING,
    NULL,
    OTHER,
    SLOT,
    Facts,
    Tag,
)
from kleene.passes.attempts.owned.starts import start_of, start_of_place
from kleene.passes.elements.chosen import bare
from kleene.passes.facts.blocks_of_pointers import factors
from kleene.passes.facts.liveness import used_variables
from kleene.passes.facts.memory import constant_of
from kleene.passes.facts.relations.states import State
from kleene.passes.facts.relations.zones import relate
from kleene.passes.literals import is_literal


class Steps(Elements):
    """The steps of one automaton, in which elements are loaded and stored by operations of their own."""

    def first(self) -> Facts:
        """The facts at the entry: globals are NULL, unless an initial value or another file sets them."""
        zero = {g.variable for g in self.program.globals if not (g.initial or g.external)}
        tags = frozenset((v, NULL if v in zero else ELSE) for v in self.own.holders if v.is_global)
        copies = (0,) * (MOST_TOGETHER * len(self.own.members))
        return Facts(tags, copies=copies, slot=NOTHING if self.follows_slot else None)

    def steps(self, edge: Edge[Operation], facts: Facts, state: State) -> Iterator[Step]:
        """The ways to go along an edge. What the operation reads is read in each of them."""
        hidden = self._hidden_pointers(facts)
        if self.reads.hide_place(edge.label, hidden):
            yield self._unsupported(f"a place that depends on other blocks: {edge.label}", edge.label, facts, state)
            return
        for here in self._orders(edge.label, state):
            for step in self._steps(edge, facts, here):
                if not self.own.makes_array(edge.label):
                    step = replace(step, facts=self.arrays.after(edge.label, step.facts))
                reads = self.reads.left_out(edge.label, step.operations, hidden)
                yield replace(step, operations=(*reads, *step.operations)) if reads else step

    def _orders(self, label: Operation, state: State) -> Iterator[State]:
        """The states in which indices that a condition says are different are less and greater: zones know no ``!=``.

        In ``if (next != head) { a[tail] = p; tail = next; }`` the element that gets the block is before `head` then,
        and so is `tail`, or neither is.
        """
        condition = label.condition if isinstance(label, Assume) else None
        operator = "!=" if getattr(label, "truth", False) else "=="
        if not isinstance(condition, Comparison) or condition.operator != operator:
            yield state
            return
        left, right = condition.left, condition.right
        if not {bare(left), bare(right)} <= self.told:
            yield state
            return
        for order in ("<", ">"):
            here = state.copy()
            if relate(order, self.number(left, here), self.number(right, here), here.zone):
                yield here

    def _hidden_pointers(self, facts: Facts) -> frozenset[Variable]:
        """The pointers to blocks that are not there."""
        return frozenset(v for v in self.own.holders if facts.tag(v) == OTHER)

    def _steps(self, edge: Edge[Operation], facts: Facts, state: State) -> Iterator[Step]:
        after = self.after(edge.label, state)
        if after is None and not isinstance(edge.label, Assume):
            yield Step((self._flat(edge.label),), facts, state)  # the program ends here
            return
        if after is None:
            return
        label, own = edge.label, self.own
        match label:
            case Assign(target=target) if own.is_element(target):
                yield from self._store_element(edge, label, facts, state)
            case Assign(target=Variable() as target, value=value) if own.is_element(element := bare(value)):
                yield from self._load_element(edge, target, element, facts, state)
            case Assign() | Havoc() if (touched := own.touched(label)) is not None:
                yield from self._touch_number(edge, touched, facts, state, after)
            case Allocate() | Realloc() if own.makes_array(label):
                yield from self._make_array(edge, facts, state, after)
            case Allocate(target=Variable()) if own.makes_target(label):
                yield from self._choose(label, facts, after)
            case Free(pointer=pointer) if own.is_array(pointer):
                yield from self._end_array(label, facts, state, after)
            case Free(pointer=pointer) if isinstance(bare(pointer), Variable) and bare(pointer) in own.holders:
                yield self._free(label, facts, after)
            case MemSet(pointer=pointer) if own.is_array(pointer):
                yield from self._clear_array(label, facts, state, after)
            case Assume():
                yield from self._assume_tags(label, facts, after)
            case _:
                yield from self._other(label, facts, state, after)

    # The array ------------------------------------------------------------------------------------------------

    def _make_array(self, edge: Edge[Operation], facts: Facts, state: State, after: State) -> Iterator[Step]:
        """The array is made, or gets another length; it is a block of one byte in the result."""
        label = edge.label
        assert isinstance(label, Allocate | Realloc)
        place, product = label.place, factors(label.size)
        target, size = self._flat_value(label.target), Constant(1, label.size.type)
        if product is None or self.own.scale % product[1]:
            yield self._unsupported("an array of pointers whose size is not a number of elements", label, facts, state)
            return
        read: tuple[Operation, ...] = (Print(place, None, (label.size,)),)
        if isinstance(label, Allocate):
            made = replace(label, size=size, element=CHAR, target=target)
            yield from self._all_made((*read, made), label, facts, after, self._new_array(edge, facts, after))
            return
        old = self._flat_value(label.pointer)
        other = replace(label, pointer=old, size=size, target=target)
        if not facts.made:
            yield from self._all_made((*read, other), label, facts, after, self._new_array(edge, facts, after))
            return
        if product[1] != self.own.scale or not self._has_length(label.pointer, state):
            yield self._unsupported("an array of pointers that gets an unknown length", label, facts, state)
            return
        is_null = Comparison("==", label.pointer, Constant(0, label.pointer.type))
        none = Assume(place, self._flat_value(is_null))
        before = self.after(Assume(place, is_null), state)
        if before is not None and self.arrays.may_have_another(label.pointer, self.live[edge.source]):
            then = self.after(label, before)
            ways = self._new_array(edge, facts, then) if then is not None else []
            yield from self._all_made((none, *read, other), label, facts, after, ways)
        else:
            yield Step((none, Unsupported(place, "two arrays of one kind at a time")), facts, state)
        for number in sorted(facts.base(start_of(bare(label.pointer)))):
            ways = list(self._moved_array(label, facts, number, state))
            yield from self._all_made((replace(none, truth=False), *read, other), label, facts, after, ways)

    def _all_made(
        self,
        operations: tuple[Operation, ...],
        label: Allocate | Realloc,
        facts: Facts,
        after: State,
        ways: list[tuple[Facts, State]] | None,
    ) -> Iterator[Step]:
        """The steps in which an array was made in one of some ways, and the one in which there was no room for it."""
        place = label.place
        if ways is None:
            yield Step((*operations, Unsupported(place, "many arrays of one kind at a time")), facts, after)
            return
        is_null = Comparison("==", label.target, Constant(0, label.target.type))
        for truth in (True, False) if label.may_fail else (False,):
            tested = (*operations, Assume(place, self._flat_value(is_null), truth=truth))
            failed = facts.with_base(label.target, None) if isinstance(label.target, Variable) else facts
            for new, then in ways if not truth else [(failed, after)]:
                passed = self.after(Assume(place, is_null, truth=truth), then)
                lost = (Assign(place, self.held, Constant(0, self.held.type)),) if facts.count > new.count == 0 else ()
                if passed is not None:
                    yield Step((*tested, *lost), new, passed)

    def _new_array(self, edge: Edge[Operation], facts: Facts, after: State) -> list[tuple[Facts, State]] | None:
        """What is known where an array was made; None if there are too many."""
        label = edge.label
        assert isinstance(label, Allocate | Realloc)
        made = self.arrays.with_array(facts, label.target, self.live[edge.target])
        if made is None:
            return None
        new, number = made
        slot = NULL if isinstance(label, Allocate) and label.zeroed else NOTHING
        if facts.slot is None:
            return [(new, after)]
        followed = self.arrays.followed_in(new, number, slot, after)
        return [(new, after), followed] if facts.made else [(replace(new, slot=slot), after)]

    def _moved_array(self, label: Realloc, facts: Facts, number: int, state: State) -> Iterator[tuple[Facts, State]]:
        """What is known where an array got another length.

        Elements behind its old length have no value, and those behind its new one are gone.
        """
        new, product = facts, factors(label.size)
        if len(facts.arrays) > 1 and isinstance(label.target, Variable):
            new = facts.with_base(label.target, number if label.target in self.arrays.pointers else None)
        assert product is not None
        grows = self._grows(label, product[0], state)
        for kept, here in self._within(new, product[0], state, number, grows=grows):
            if facts.slot is None or facts.member not in facts.places(number):
                ways = [(kept, here)]
            else:
                ways = list(self._old_slot(label, kept, here))
            for own, before in ways:
                then = self.after(label, before)
                if then is not None:
                    yield own, ordered(own, then)

    def _old_slot(self, label: Realloc, facts: Facts, state: State) -> Iterator[tuple[Facts, State]]:
        """An element that was in the array before it got another length, and one that was not."""
        for operator, slot in (("<", facts.slot), (">=", NOTHING)):
            here = state.copy()
            room = self._whole_room(label.pointer, self.own.scale, here)
            if room is None or relate(operator, here.held[SLOT], room, here.zone):
                yield replace(facts, slot=slot), here

    def _within(
        self, facts: Facts, count: Expression, state: State, array: int, *, grows: bool
    ) -> Iterator[tuple[Facts, State]]:
        """The followed elements that are within the new length of the array: all of them, if it grows."""
        ways = [(facts, state)]
        for number in () if grows else reversed(facts.numbers_of(array)):
            ways = [way for own, before in ways for way in self._cut(number, count, own, before)]
        yield from ways

    def _cut(self, number: Variable, count: Expression, facts: Facts, state: State) -> Iterator[tuple[Facts, State]]:
        """An element that is within the new length of the array, and one that is behind it and gone."""
        within, behind = state.copy(), state.copy()
        if relate("<", within.held[number], self.number(count, within), within.zone):
            yield facts, within
        if relate(">=", behind.held[number], self.number(count, behind), behind.zone):
            if facts.slot is not None:
                yield replace(facts, slot=NOTHING), behind
            else:
                yield self._without(facts, number, behind), behind

    def _has_length(self, pointer: Expression, state: State) -> bool:
        """Whether the length of the array is known, and the pointer is its start."""
        return self._whole_room(pointer, self.own.scale, state.copy()) is not None

    def _grows(self, label: Realloc, count: Expression, state: State) -> bool:
        state = state.copy()
        room, number = self._whole_room(label.pointer, self.own.scale, state), self.number(count, state)
        return room is not None and state.growth(number, room) is not None

    def _end_array(self, label: Free, facts: Facts, state: State, after: State) -> Iterator[Step]:
        """The array ends, and no element has the block; NULL ends nothing."""
        operation = self._flat(label)
        if not self._is_start(label.pointer, state.copy()):
            yield Step(
                (Error(label.place, "invalid_free", f"{label.pointer} may not be the start of a block"),), facts, after
            )
        null = Comparison("==", label.pointer, Constant(0, label.pointer.type))
        if not facts.made:
            yield Step((operation,), facts, after)
            return
        is_null = Assume(label.place, self._flat_value(null))
        there = () if label.stack else (replace(is_null, truth=False),)
        if not label.stack:
            yield Step((is_null, operation), facts, after)
        for number in sorted(facts.base(start_of(bare(label.pointer)))):
            gone = after.copy()
            new = self.arrays.without_array(facts, number, gone)
            if new is not None:
                lost = (
                    (Assign(label.place, self.held, Constant(0, self.held.type)),)
                    if facts.count > new.count == 0
                    else ()
                )
                yield Step((*there, operation, *lost), new, gone)

    def _clear_array(self, label: MemSet, facts: Facts, state: State, after: State) -> Iterator[Step]:
        """All elements become NULL."""
        state, product = state.copy(), factors(label.size)
        count = self.number(product[0], state) if product is not None and product[1] == self.own.scale else None
        size = constant_of(label.size)
        if size is not None and size % self.own.scale == 0:
            count = state.fresh(size // self.own.scale, size // self.own.scale)
        room = self._whole_room(label.pointer, self.own.scale, state)
        whole = room is not None and count is not None
        whole = whole and state.zone.upper(room, count) == 0 == state.zone.upper(count, room)  # type: ignore[arg-type]
        arrays = facts.base(start_of(bare(label.pointer)))
        places = [place for array in arrays for place in facts.places(array)]
        counted = facts.slot is None and bool(facts.numbers(*places))
        if not whole or constant_of(label.value) != 0 or counted or len(arrays) > 1:
            yield Step((Unsupported(label.place, "memset of a part of an array of pointers"),), facts, state)
            return
        touched = Deref(label.pointer, self.held.type)
        slot = NULL if facts.slot is not None and facts.member in places else facts.slot
        yield Step(self._touch(touched, label.place), replace(facts, slot=slot), after)

    # Blocks ---------------------------------------------------------------------------------------------------

    def _choose(self, label: Allocate, facts: Facts, after: State) -> Iterator[Step]:
        """A block is made: it is the one that is followed, or another one, or there is none."""
        place, target = label.place, label.target
        assert isinstance(target, Variable)
        own = self._flat(label)
        tried = Variable(f"{TRIED}{target.type}", target.type)
        null = Constant(0, target.type)

        def test(variable: Variable, *, truth: bool) -> Assume:
            return Assume(place, Comparison("==", variable, null), truth=truth)

        failed = self.after(test(target, truth=True), after)
        made = self.after(test(target, truth=False), after)
        other = replace(label, target=tried, size=self._flat_value(label.size))
        if failed is not None:
            yield Step((own, test(target, truth=True)), facts.with_tag(target, NULL), failed)
        if made is None:
            return
        if facts.block == NONE and facts.slot is None:
            yield Step((own, test(target, truth=False)), replace(facts, block=LIVE).with_tag(target, BLOCK), made)
        gone = (
            other,
            test(tried, truth=False),
            Free(place, tried),
            Assign(place, tried, null),
            Assign(place, target, null),
        )
        if label.stack:
            gone = (Unsupported(place, "a block of the stack in an array"),)  # type: ignore[assignment]
        yield Step(gone, facts.with_tag(target, OTHER), made.copy())

    def _free(self, label: Free, facts: Facts, after: State) -> Step:
        variable = bare(label.pointer)
        assert isinstance(variable, Variable)
        match facts.tag(variable):
            case "block":
                return Step((label,), replace(facts, block=ENDED), after)
            case "other":
                return Step((Skip(label.place),), facts, after)
        return Step((label,), facts, after)

    # Other operations -----------------------------------------------------------------------------------------

    def _assume_tags(self, label: Assume, facts: Facts, after: State) -> Iterator[Step]:
        """A condition that facts decide, or that something decides that is not there."""
        condition, truth = label.condition, label.truth
        while isinstance(condition, Unary) and condition.operator == "!":
            condition, truth = condition.operand, not truth
        if isinstance(condition, Cast) and isinstance(condition.operand, Comparison):
            condition = condition.operand
        if isinstance(condition, Comparison) and condition.operator in ("==", "!="):
            sides = [self._tag_of(s, facts) for s in (condition.left, condition.right)]
            compared = [bare(s) for s in (condition.left, condition.right)]
            if any(s in self.own.holders for s in compared):
                same = _are_same(*sides)
                if same is not None:
                    operator = condition.operator if truth else NEGATED[condition.operator]
                    if same == (operator == "=="):
                        yield Step((Skip(label.place),), facts, after)
                    return
                if OTHER in sides:
                    yield Step((Skip(label.place),), facts, after)
                    return
        if self._is_hidden(label, facts):
            yield Step((Skip(label.place),), facts, after)
        else:
            yield Step((self._flat(label),), facts, after)

    def _is_hidden(self, label: Operation, facts: Facts) -> bool:
        """Whether an operation depends on a block that is not there, or on places in the array."""
        if any(facts.tag(v) == OTHER for v in used_variables(label) & self.own.holders):
            return True
        nodes = [n for x in expressions(label) for n in walk(x)]
        for node in nodes:
            if isinstance(node, PointerDifference | Comparison) and isinstance(node.left.type, PointerType):
                is_null = any(constant_of(bare(s)) == 0 for s in (node.left, node.right))
                if not is_null and (self.own.is_array(node.left) or self.own.is_array(node.right)):
                    return True
        return False

    def _other(self, label: Operation, facts: Facts, state: State, after: State) -> Iterator[Step]:
        new = self._tags_after(label, facts)
        if isinstance(label, Assign) and label.target in self.own.holders:
            is_gone = self._tag_of(label.value, facts) == OTHER
            value = Constant(0, label.target.type) if is_gone else self._flat_value(label.value)
            yield Step((replace(label, value=value),), new, after)
        elif not isinstance(label, DeclareLocal | EndScope) and self._is_hidden(label, facts):
            yield from (Step(self._hidden(label, facts), new, s) for new, s in self._shrunk(label, new, state, after))
        else:
            yield from (Step((self._flat(label),), new, s) for new, s in self._shrunk(label, new, state, after))

    def _tags_after(self, label: Operation, facts: Facts) -> Facts:
        match label:
            case Assign(target=Variable() as target, value=value) if target in self.own.holders:
                return facts.with_tag(target, self._tag_of(value, facts))
            case Assign(target=target, value=value) if (part := self._given_part(target, value, facts)) is not None:
                return facts.with_tag(part, OTHER)
            case DeclareLocal(variable=variable) if variable in self.own.holders:
                return facts.with_tag(variable, NOTHING)
            case EndScope(variables=variables):
                return replace(facts, tags=frozenset((v, t) for v, t in facts.tags if v not in variables))
        given = getattr(label, "target", None)
        if isinstance(given, Variable) and given in self.own.holders:
            return facts.with_tag(given, ELSE)
        return facts

    def _shrunk(self, label: Operation, facts: Facts, state: State, after: State) -> Iterator[tuple[Facts, State]]:
        """Where a length shrinks, what elements behind its old value have is not kept (decision 116)."""
        if not isinstance(label, Assign) or label.target not in self.own.lengths:
            yield facts, after
            return
        ways = [(facts, state)]
        assert isinstance(label.target, Variable)
        arrays = self.arrays.of_length(self.indexed.get(label.target, frozenset()), facts)
        for number in [n for array in sorted(arrays, reverse=True) for n in reversed(facts.numbers_of(array))]:
            ways = [way for own, before in ways for way in self._behind(label, number, own, before)]
        for own, before in ways:
            then = self.after(label, before)
            if then is not None:
                yield own, ordered(own, then)

    def _behind(self, label: Assign, number: Variable, facts: Facts, state: State) -> Iterator[tuple[Facts, State]]:
        """An element that is behind a length that shrinks, and one that is not."""
        grows, below, behind = state.copy(), state.copy(), state.copy()
        if not relate("<", self.number(label.value, behind), self.number(label.target, behind), behind.zone):
            yield facts, state
            return
        if not relate(">=", behind.held[number], self.number(label.target, behind), behind.zone):
            yield facts, state
            return
        if relate(">=", self.number(label.value, grows), self.number(label.target, grows), grows.zone):
            yield facts, grows
        if relate("<", below.held[number], self.number(label.target, below), below.zone):
            yield facts, below
        if facts.slot is not None:
            yield replace(facts, slot=NOTHING), behind
        elif facts.count > 1 or facts.block == ENDED:
            yield self._without(facts, number, behind), behind
        else:
            yield facts, behind  # the block would be lost: it was the only element

    def _hidden(self, label: Operation, facts: Facts) -> tuple[Operation, ...]:
        """What is left of an operation on a block that is not there, or on places in the array."""
        place = label.place
        hidden = self._hidden_pointers(facts)
        match label:
            case Print():
                return (Skip(place),)
            case Free(pointer=pointer) if self._tag_of(pointer, facts) == OTHER:
                return (Skip(place),)
            case MemSet(pointer=pointer) if start_of(bare(pointer)) in hidden:
                return (Skip(place),)
            case Return():
                return (replace(label, value=Constant(0, INT)),)
            case Havoc(target=target) if start_of_place(target) in hidden:
                return (Skip(place),)
            case Assign(target=Variable() as target) if not isinstance(target.type, PointerType | RecordType):
                return (Havoc(place, target, CHOICE),)
            case Assign(target=target, value=value) if (part := self._given_part(target, value, facts)) is not None:
                return Free(place, part), Assign(place, part, Constant(0, part.type))
            case Assign(target=target, value=value) if start_of_place(target) in hidden:
                is_there = isinstance(value.type, PointerType) and self._tag_of(value, facts) not in (NULL, OTHER)
                if is_there or (isinstance(value.type, RecordType) and self.own.parts):
                    return (Unsupported(place, "a pointer in a block that is not followed"),)
                return (Skip(place),)
            case Allocate(target=target) if start_of_place(target) in hidden and not label.stack:
                tried = Variable(f"{TRIED}{target.type}", target.type)
                made = replace(label, target=tried, size=self._flat_value(label.size))
                return made, Free(place, tried), Assign(place, tried, Constant(0, tried.type))
            case Assign(target=target) if isinstance(target.type, IntegerType):
                return (Havoc(place, self._flat_value(target), CHOICE),)
        return (Unsupported(place, f"a block that is not followed: {label}"),)

    def _given_part(self, target: Expression, value: Expression, facts: Facts) -> Variable | None:
        """The pointer to a part of a block that is not there, if it is stored in it.

        The part is freed in the result, and no more there either. So if something else has a pointer to it, each use
        of this pointer is an error in the result: what two blocks share is not taken for a part of either.
        """
        pointer = bare(value)
        if start_of_place(target) not in self._hidden_pointers(facts) or not isinstance(pointer, Variable):
            return None
        is_given = pointer in self.own.holders and facts.tag(pointer) == ELSE and self.own.is_part(pointer)
        return pointer if is_given else None


def _are_same(one: Tag, two: Tag) -> bool | None:
    """Whether two pointers are equal; None if that is not known.

    A block that was freed may have the address of a later one, so the block and another one may be equal. So may two
    literals, and all of them are one object here.
    """
    if {one, two} & {NOTHING, ELSE} or ({one, two} <= {OTHER, BLOCK} and OTHER in (one, two)):
        return None
    return None if _is_of_literal(one) and _is_of_literal(two) else one == two


def _is_of_literal(tag: Tag) -> bool:
    return isinstance(tag, AddressOf) and is_literal(tag.target)
