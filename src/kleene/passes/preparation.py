"""One program on its way to every analysis: read, inlined and rewritten once, and shared by all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Enter, Invoke, Operation, Specified
from kleene.cfa.program import Assumption, CProgram
from kleene.diagnostics import LimitReached
from kleene.passes.attempts.choices import may_choose, original_location
from kleene.passes.attempts.slices.classes import NoSlices
from kleene.passes.attempts.slices.slicing import Slice, Slicing
from kleene.passes.elements.owners import is_struct_of_members
from kleene.passes.facts.calls import Calls
from kleene.passes.facts.memory import Memory
from kleene.passes.pointers.words.types import is_tag
from kleene.passes.prepare import followed_program, may_have_members, whole_program


@dataclass(frozen=True)
class Prepared:
    """A source program and the automaton that the analyses use in its place; each part is computed on first use.

    The shape analysis, FESA, refinement, confirmation by paths and the names of variables all refer to `cfa`, so each
    can use the results of the others.
    """

    source: CProgram
    slice: Slice | None = None
    """What is followed of the program, if not all of it."""
    follows_block: bool = False
    """Whether this is one block of an array of owned pointers (`passes/attempts/owned`)."""

    @cached_property
    def _outcome(self) -> CProgram | LimitReached:
        if self.slice is not None:
            return self.slice.program
        try:
            return whole_program(self.source)
        except LimitReached as limit:
            return limit

    @cached_property
    def calls(self) -> Calls:
        """Which functions could be analysed apart."""
        return Calls(self.source)

    @cached_property
    def by_calls(self) -> Prepared | None:
        """The program with functions analysed apart that could be inlined; None if there are none."""
        return self._with_apart(self.calls.apart)

    @cached_property
    def by_every_call(self) -> Prepared | None:
        """The program with all functions analysed apart for which that is possible; None if there are none."""
        return self._with_apart(self.calls.separable)

    def _with_apart(self, functions: frozenset[str]) -> Prepared | None:
        is_possible = bool(functions) and self.slice is None and not self.source.apart
        return Prepared(replace(self.source, apart=functions)) if is_possible else None

    @cached_property
    def by_choices(self) -> Prepared | None:
        """The program whose locations know which element of an array is meant.

        None unless this tells more data structures apart, or makes variables of objects in memory.
        """
        if self.slice is not None or self.source.by_choices:
            return None
        chosen = Prepared(replace(self.source, by_choices=True))
        try:
            if self.inlined.stages and not may_choose(*self.inlined.stages[1:]):
                return None
            if all(original_location(name) == name for name in chosen.cfa.locations):
                return None
            gains = len(chosen.memory.objects) < len(self.memory.objects) or len(chosen.slices) > len(self.slices)
        except LimitReached:
            return None
        return chosen if gains else None

    @cached_property
    def by_owned(self) -> Prepared | None:
        """The program in which one block of each array of owned pointers is followed; None if it has none."""
        if self.slice is not None or self.source.by_choices or self.source.apart:
            return None
        try:
            followed = followed_program(self.source, self._scalars)
        except LimitReached:
            return None
        if followed is None:
            return None
        program, holders = followed
        nothing: frozenset[str] = frozenset()
        own = Slice(program, holders, frozenset(), frozenset(), frozenset(), {}, nothing)
        return Prepared(self.source, own, follows_block=True)

    @property
    def _scalars(self) -> CProgram | None:
        """The inlined program before its elements became variables; None if that is not known, or words are pairs."""
        return self.inlined.stages[1] if self.inlined.stages and not self.has_flags else None

    @cached_property
    def by_members(self) -> Prepared | None:
        """The program with variables for the members of structs of the heap of which there is one.

        None if there is no such struct, or if it stays in memory since something else holds the address of a member.
        """
        if self.slice is not None or self.source.by_members:
            return None
        chosen = Prepared(replace(self.source, by_members=True))
        try:
            if self.inlined.stages and not may_have_members(self.inlined.stages[0]):
                return None
            variables = (*chosen.memory.pointers, *chosen.memory.integers)
            if not any(map(is_struct_of_members, variables)) or any(map(is_struct_of_members, chosen.memory.objects)):
                return None
        except LimitReached:
            return None
        return chosen

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What is assumed of code that is not there, and of numbers in the forms of the program that were prepared.

        Nothing is prepared for it: a program of which only functions were analysed apart may be too large inlined.
        """
        forms = (self, *(vars(self).get(form) for form in ("by_calls", "by_every_call")))
        outcomes = [vars(form).get("_outcome") for form in forms if form is not None]
        prepared = [outcome for outcome in outcomes if isinstance(outcome, CProgram)]
        return tuple(dict.fromkeys(a for program in (self.source, *prepared) for a in program.assumptions))

    @property
    def inlined(self) -> CProgram:
        """The program with one automaton; raises LimitReached at each access if it is too large."""
        if isinstance(self._outcome, LimitReached):
            raise LimitReached(str(self._outcome), self._outcome.limit)
        return self._outcome

    @property
    def cfa(self) -> Cfa[Operation]:
        """The automaton of the whole program."""
        return self.inlined.main.cfa

    @cached_property
    def memory(self) -> Memory:
        """The objects and pointers of `cfa`."""
        return Memory(self.inlined, self.cfa, typed=True)

    @cached_property
    def slicing(self) -> Slicing | None:
        """What the slices of the program are made from."""
        try:
            return Slicing(self.memory) if self.slice is None else None
        except NoSlices:
            return None

    @cached_property
    def slices(self) -> tuple[Slice, ...]:
        """The program once for each of its data structures; none if there is one only."""
        try:
            return self.slicing.slices() if self.slicing is not None else ()
        except NoSlices:
            return ()

    @property
    def has_flags(self) -> bool:
        """Whether words are two values here (`passes/pointers/words`): the interpreter follows the source only."""
        memory = self.memory
        return any(is_tag(v.type) for v in memory.integers) or any(map(memory.flags_at, memory.access_types))

    @property
    def has_specifications(self) -> bool:
        """Whether contracts in formulas stand in the place of calls, or around a body."""
        return any(isinstance(edge.label, Specified) for edge in self.cfa.edges)

    @property
    def is_recursive(self) -> bool:
        """Whether functions that call themselves, other than at their end, are analysed apart."""
        return any(isinstance(edge.label, Invoke | Enter) for edge in self.cfa.edges)
