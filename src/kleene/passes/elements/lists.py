"""Lists of slots: how they are made, grow, and are walked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from kleene.cfa.expressions import Cast, Comparison, Constant, Expression, Variable
from kleene.cfa.operations import Allocate, Assign, DeclareLocal, Free, MemSet, Place, Realloc
from kleene.cfa.program import CProgram
from kleene.cfa.types import IntegerType, PointerType, RecordType
from kleene.passes.elements.chains import Chains
from kleene.passes.elements.slots import Slot

MOVED, DROPPED, FREED = "$moved ", "$nothing ", "$freed "
"""How the name of the variable begins whose value an element gets that is not kept: its pointer was moved to another
element, it is behind a length, or its block was freed."""


class Lists:
    """Writes the operations on lists of slots into chains of edges."""

    def __init__(self, program: CProgram, chains: Chains) -> None:
        self.program, self.chains = program, chains
        self.word = IntegerType(program.pointer_size * 8, signed=False, name="unsigned long")

    def allocate(self, here: str, operation: Allocate, slot: Slot, *, may_be_empty: bool) -> tuple[str, Variable]:
        """A new list, or NULL, in the variable that is returned; all of its elements are zero or not initialized."""
        chains, place = self.chains, operation.place
        first = chains.local(f"$first of {slot.element}", slot.pointer)
        size = Constant(slot.record.size, self.word)
        here = chains.add(here, replace(operation, target=first, size=size, element=slot.record))
        end, made = chains.location(), here
        if operation.may_fail:
            failed, made = chains.branch(here, Comparison("==", first, slot.null), place)
            chains.connect(failed, end, place)
        if may_be_empty:
            empty, made = chains.maybe(made, place)
            chains.connect(chains.add(empty, Assign(place, slot.following(first), slot.null)), end, place)
        made, rest = self._rest(made, slot, place, zeroed=operation.zeroed)
        chains.connect(chains.add(made, Assign(place, slot.following(first), rest)), end, place)
        return end, first

    def _rest(self, here: str, slot: Slot, place: Place, *, zeroed: bool) -> tuple[str, Variable]:
        """Any number of slots and an end, none of which is a block of its own."""
        chains = self.chains
        rest = chains.local(f"$rest of {slot.element}", slot.pointer)
        fresh = chains.local(f"$slot of {slot.element}", slot.pointer)
        here = self._slot(here, rest, slot, place, zeroed=False)
        head = chains.add(here, Assign(place, slot.following(rest), slot.null))
        more, done = chains.maybe(head, place)
        more = self._slot(more, fresh, slot, place, zeroed=zeroed)
        more = chains.add(more, Assign(place, slot.following(fresh), rest))
        chains.connect(chains.add(more, Assign(place, rest, fresh)), head, place)
        return done, rest

    def _slot(self, here: str, target: Variable, slot: Slot, place: Place, *, zeroed: bool) -> str:
        at_entry = replace(place, function=self.program.entry)  # blocks of the stack that no function ends
        size = Constant(slot.record.size, self.word)
        made = Allocate(at_entry, target, size, slot.record, zeroed=zeroed, may_fail=False, stack=True)
        return self.chains.add(here, made)

    def reallocate(
        self, here: str, operation: Realloc, old: Variable, slot: Slot, *, may_shrink: bool
    ) -> tuple[str, Variable]:
        """The list of a block that is not NULL, moved, without the end of the block; NULL if that failed."""
        chains, place = self.chains, operation.place
        first = chains.local(f"$first of {slot.element}", slot.pointer)
        size = Constant(slot.record.size, self.word)
        made = Allocate(place, first, size, slot.record, may_fail=operation.may_fail)
        here = chains.add(here, made)
        failed, here = chains.branch(here, Comparison("==", first, slot.null), place)
        end = chains.location()
        chains.connect(failed, end, place)
        here = self._take(here, slot.following(first), slot.following(old), place)
        if isinstance(slot.element, PointerType):
            here = self._take(here, slot.element_of(first), slot.element_of(old), place)
        else:
            here = chains.add(here, Assign(place, slot.element_of(first), slot.element_of(old)))
        if may_shrink:
            cut, here = chains.maybe(here, place)
            cut = self._cut(cut, first, slot, place)
            chains.connect(cut, end, place)
        last = chains.local(f"$rest of {slot.element}", slot.pointer)
        head = chains.add(here, Assign(place, last, first))
        here, on = chains.branch(head, slot.is_end(last), place)
        chains.connect(chains.add(on, Assign(place, last, slot.following(last))), head, place)
        here, grown = chains.maybe(here, place)
        chains.connect(here, end, place)
        grown = self._grow(grown, last, slot, place)
        chains.connect(grown, end, place)
        return end, first

    def _take(self, here: str, target: Expression, source: Expression, place: Place) -> str:
        """Move a pointer from one cell to another: never are both there, so nothing is shared."""
        chains = self.chains
        held = chains.local(f"$held {source.type}", source.type)
        here = chains.add(here, Assign(place, held, source))
        here = chains.add(here, Assign(place, source, Constant(0, source.type)))
        return chains.add(here, Assign(place, target, held))

    def move(self, here: str, operation: Assign) -> str:
        """A pointer goes from one element of an array to another one: the first is as if it had not been initialized.

        Or to a variable, if it is read for the last time. So no two elements share a block while elements are
        exchanged, or moved up or down. A program that uses the first one again has an alarm, so nothing wrong is
        proved.
        """
        chains, place, source = self.chains, operation.place, operation.value
        while isinstance(source, Cast):
            source = source.operand
        held = chains.local(f"$held {source.type}", source.type)
        here = chains.add(here, Assign(place, held, source))
        here = self.lose(here, source, MOVED, place)
        value = held if held.type == operation.value.type else Cast(held, operation.value.type)
        return chains.add(here, replace(operation, value=value))

    def lose(self, here: str, element: Expression, reason: str, place: Place) -> str:
        """An element becomes as if it had not been initialized: a program that uses it then has an alarm."""
        nothing = self.chains.local(f"{reason}{element.type}", element.type)
        here = self.chains.add(here, DeclareLocal(place, nothing))
        return self.chains.add(here, Assign(place, element, nothing))

    def _grow(self, here: str, last: Variable, slot: Slot, place: Place) -> str:
        """Any number of slots behind the end of a list, and a new end."""
        chains = self.chains
        fresh = chains.local(f"$slot of {slot.element}", slot.pointer)
        head = self._slot(here, fresh, slot, place, zeroed=False)
        head = chains.add(head, Assign(place, slot.following(fresh), slot.null))
        head = chains.add(head, Assign(place, slot.following(last), fresh))
        more, done = chains.maybe(head, place)
        chains.connect(chains.add(more, Assign(place, last, fresh)), here, place)
        return done

    def _cut(self, here: str, first: Variable, slot: Slot, place: Place) -> str:
        """The elements from some slot on are lost; that slot is the end."""
        here, last = self.anywhere(here, first, slot, place)
        here = self.clear(here, last, slot, place)
        return self.chains.add(here, Assign(place, slot.following(last), slot.null))

    def clear(self, here: str, at: Expression, slot: Slot, place: Place) -> str:
        """A slot whose element is zero."""
        element = slot.element_of(at)
        if isinstance(slot.element, RecordType):
            size = Constant(slot.element.size, self.word)
            return self.chains.add(here, MemSet(place, slot.as_slot(at), Constant(0, self.word), size))
        return self.chains.add(here, Assign(place, element, Constant(0, slot.element)))

    def anywhere(
        self, here: str, start: Expression, slot: Slot, place: Place, within: Iterable[Comparison] = ()
    ) -> tuple[str, Variable]:
        """Some slot from a slot on, or the end; each slot on the way, and the last, is `within` some bounds."""
        chains = self.chains
        anywhere = chains.local(f"$some {slot.element}", slot.pointer)
        head = chains.add(here, Assign(place, anywhere, slot.as_slot(start)))
        here = head
        for bound in within:
            here = chains.only(here, bound, place)
        on, done = chains.maybe(here, place)
        on = chains.only(on, slot.is_end(anywhere), place, truth=False)
        chains.connect(chains.add(on, Assign(place, anywhere, slot.following(anywhere))), head, place)
        return done, anywhere

    def last(self, here: str, at: Variable, slot: Slot, place: Place, *, before_end: bool) -> str:
        """Walk from the slot in a variable to the end, or to the slot before it; NULL if there is none."""
        chains, found = self.chains, self.chains.location()
        if before_end:
            empty, here = chains.branch(here, slot.is_end(at), place)
            chains.connect(chains.add(empty, Assign(place, at, slot.null)), found, place)
        head = chains.location()
        chains.connect(here, head, place)
        there, on = chains.branch(head, slot.is_end(slot.following(at) if before_end else at), place)
        chains.connect(there, found, place)
        chains.connect(chains.add(on, Assign(place, at, slot.following(at))), head, place)
        return found

    def before(
        self, here: str, start: Expression, behind: Variable, slot: Slot, place: Place, *, exists: bool
    ) -> tuple[str, Variable]:
        """The slot that is followed by another one. Before the first there is none: NULL, unless it `exists`."""
        chains, found = self.chains, self.chains.location()
        result = chains.local(f"$some {slot.element}", slot.pointer)
        head = chains.add(here, Assign(place, result, slot.as_slot(start)))
        there, on = chains.branch(head, Comparison("==", slot.following(result), behind), place)
        chains.connect(there, found, place)
        if not exists:
            none = chains.only(on, slot.is_end(result), place)
            chains.connect(chains.add(none, Assign(place, result, slot.null)), found, place)
        on = chains.only(on, slot.is_end(result), place, truth=False)
        chains.connect(chains.add(on, Assign(place, result, slot.following(result))), head, place)
        return found, result

    def end_all(self, here: str, operation: Free, slot: Slot) -> str:
        """The block of a list ends, and so do its slots; NULL has none."""
        chains, place = self.chains, operation.place
        rest = chains.local(f"$rest of {slot.element}", slot.pointer)
        held = chains.local(f"$held {slot.pointer}", slot.pointer)
        end = chains.location()
        null, here = chains.branch(here, Comparison("==", slot.as_slot(operation.pointer), slot.null), place)
        chains.connect(null, end, place)
        here = chains.add(here, Assign(place, rest, slot.following(operation.pointer)))
        head = chains.add(here, operation)
        done, on = chains.branch(head, Comparison("==", rest, slot.null), place)
        chains.connect(done, end, place)
        on = chains.add(on, Assign(place, held, slot.following(rest)))
        on = chains.add(on, Free(place, rest, stack=True))
        chains.connect(chains.add(on, Assign(place, rest, held)), head, place)
        return end

    def zero_all(self, here: str, start: Expression, slot: Slot, place: Place) -> str:
        """All elements become zero."""
        chains = self.chains
        at = chains.local(f"$some {slot.element}", slot.pointer)
        head = chains.add(here, Assign(place, at, slot.as_slot(start)))
        done, on = chains.branch(head, slot.is_end(at), place)
        on = self.clear(on, at, slot, place)
        chains.connect(chains.add(on, Assign(place, at, slot.following(at))), head, place)
        return done
