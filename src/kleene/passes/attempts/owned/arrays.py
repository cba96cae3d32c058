"""Several arrays of one kind at a time: into which of them a pointer points, and what begins and ends with one.

Two vectors are merged, a vector gets longer by a copy of it, entries go to a larger table: then an element is one of
an array and a number. An array gets the least number that no other one has; one that is left alone gets number 0. As
long as there is one array only, each pointer points into it or nowhere, and nothing has to be known of pointers. What
is not known of a pointer is each of the arrays: the choices are ways of the result, which uses the pointer itself. So a
pointer that is NULL, or into an array that has ended, is found there.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from functools import cached_property

from kleene.cfa.expressions import Expression, Variable, walk
from kleene.cfa.operations import Assign, DeclareLocal, EndScope, Operation, address_taken, expressions
from kleene.cfa.program import CProgram
from kleene.passes.attempts.owned.facts import MOST_TOGETHER, NOTHING, SLOT, Facts, Tag, numbers_at
from kleene.passes.attempts.owned.selection import Owned
from kleene.passes.attempts.owned.starts import start_of
from kleene.passes.elements.chosen import bare
from kleene.passes.facts.relations.states import State
from kleene.passes.promote import exposed_globals


class Arrays:
    """The pointers into the arrays of one kind, and what facts know of them."""

    def __init__(self, program: CProgram, own: Owned) -> None:
        self.program, self.own = program, own

    @cached_property
    def pointers(self) -> frozenset[Variable]:
        """The variables that may point into an array, and that nothing else sets."""
        operations = self.own.blocks.operations
        taken = address_taken(operations) | exposed_globals(self.program)
        nodes = {n for o in operations for x in expressions(o) for n in walk(x)}
        return frozenset(n for n in nodes if isinstance(n, Variable) and self.own.is_array(n)) - taken

    def after(self, label: Operation, facts: Facts) -> Facts:
        """The facts with what an operation says of pointers; arrays that are made are left to `with_array`."""
        if not facts.bases:
            return facts
        match label:
            case Assign(target=Variable() as target, value=value) if target in self.pointers:
                start = start_of(bare(value))
                known = [n for v, n in facts.bases if v == start]
                return facts.with_base(target, known[0] if known else None)
            case DeclareLocal(variable=own):
                return facts.with_base(own, None)
            case EndScope(variables=variables):
                return replace(facts, bases=frozenset((v, n) for v, n in facts.bases if v not in variables))
        given = getattr(label, "target", None)
        return facts.with_base(given, None) if isinstance(given, Variable) else facts

    def may_have_another(self, pointer: Expression, live: frozenset[Variable]) -> bool:
        """Whether an array may be there though a pointer to one is NULL: another variable has it."""
        return bool((self.pointers & live) - {start_of(bare(pointer))})

    def with_array(self, facts: Facts, target: Expression, live: frozenset[Variable]) -> tuple[Facts, int] | None:
        """The facts with one array more, and its number; None if there are too many."""
        number = next((n for n in range(MOST_TOGETHER) if n not in facts.arrays), None)
        if number is None:
            return None
        new = replace(facts, arrays=facts.arrays | {number})
        if len(facts.arrays) == 1:  # all other pointers point into the one that was alone, or nowhere
            new = replace(new, bases=frozenset((v, n) for v in self.pointers & live for n in facts.arrays))
        if len(new.arrays) > 1 and isinstance(target, Variable):
            new = new.with_base(target, number if target in self.pointers else None)
        return new, number

    def followed_in(self, facts: Facts, number: int, slot: Tag, state: State) -> tuple[Facts, State]:
        """The facts and numbers in which it is an element of a new array that is followed, not of another one."""
        members = len(facts.places(0))
        here = state.copy()
        here.held[SLOT] = here.fresh(0, self.program.largest_block)
        return replace(facts, slot=slot, member=facts.places(number)[facts.member % members]), here

    def without_array(self, facts: Facts, number: int, state: State) -> Facts | None:
        """The facts after an array has ended, with the numbers of its elements; None if nothing is followed any more.

        The element that is followed is in another array in other runs.
        """
        left = facts.arrays - {number}
        if facts.slot is not None:
            if facts.member not in facts.places(number):
                return self._alone(replace(facts, arrays=left), state)
            member = facts.member % len(facts.places(0))
            return None if left else replace(facts, arrays=left, slot=NOTHING, member=member)
        for variable in facts.numbers_of(number):
            del state.held[variable]
        gone = facts.places(number)
        copies = tuple(0 if place in gone else n for place, n in enumerate(facts.copies))
        return self._alone(replace(facts, arrays=left, copies=copies), state)

    @staticmethod
    def _alone(facts: Facts, state: State) -> Facts:
        """An array that is alone gets number 0, and nothing is known of pointers."""
        if len(facts.arrays) != 1:
            return facts
        (number,) = facts.arrays
        alone = replace(facts, arrays=frozenset((0,)), bases=frozenset())
        if number == 0:
            return alone
        members = len(facts.places(0))
        if facts.slot is not None:
            return replace(alone, member=facts.member - number * members)
        names: dict[Variable, Variable] = {}
        for place in facts.places(number):
            old, new = (numbers_at(p, facts.copies[place]) for p in (place, place - number * members))
            names |= dict(zip(old, new, strict=True))
        state.held.update({names[v]: state.held.pop(v) for v in names})
        own = tuple(facts.copies[place] for place in facts.places(number))
        sides = frozenset((names.get(v, v), operator, index) for v, operator, index in facts.sides)
        return replace(alone, copies=own + (0,) * (len(facts.copies) - members), sides=sides)

    @staticmethod
    def of_length(indexed: Set[Variable], facts: Facts) -> frozenset[int]:
        """The arrays of which a number is the length; `indexed` are the pointers of which it is an index."""
        return facts.arrays if len(facts.arrays) <= 1 else frozenset(n for v, n in facts.bases if v in indexed)
