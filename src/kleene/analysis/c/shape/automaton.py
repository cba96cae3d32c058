"""The automaton that an attempt of the shape analysis follows, and what all translations of it share."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from kleene.analysis.c.shape.attempts import Attempt
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Operation
from kleene.passes.attempts.moves import Read, Store, moved_places, with_moves
from kleene.passes.attempts.stale import Stale, without_stale_pointers
from kleene.passes.attempts.unread import unread_cells, without_unread_cells
from kleene.passes.coalesce import Sharing, sharing_of
from kleene.passes.facts.liveness import Lifetimes, lifetimes
from kleene.passes.facts.memory import Memory, Place
from kleene.passes.preparation import Prepared
from kleene.semantics.vocabulary.back_cells import back_cells


@dataclass(frozen=True, eq=False)
class Automaton:
    """An automaton with local pointers shared; `stale` are the places of pointers that are forgotten early.

    `unread` are those of pointers that are NULL, as nothing reads them.
    `unshared` is the memory before pointers were shared.
    """

    prepared: Prepared
    unshared: Memory
    shared: Sharing
    stale: frozenset[Place]
    whole_scope: bool
    is_plain: bool
    """Whether the attempt that it was made for rewrites nothing."""
    unread: frozenset[Place] = frozenset()

    @property
    def cfa(self) -> Cfa[Operation]:
        return self.shared.cfa

    @property
    def rewritten(self) -> Cfa[Operation]:
        """The automaton before pointers were shared."""
        return self.unshared.cfa

    @cached_property
    def memory(self) -> Memory:
        return Memory(self.prepared.inlined, self.cfa, typed=True)

    @cached_property
    def lives(self) -> Lifetimes:
        tracked = {*self.memory.pointers, *self.memory.integers}
        return lifetimes(self.cfa, tracked, whole_scope=self.whole_scope)


def automaton_of(
    prepared: Prepared, attempt: Attempt, known: list[Automaton], reads: Set[Read | Store] = frozenset()
) -> Automaton | None:
    """The automaton that an attempt follows; None if the attempt does not concern the program, or changes nothing.

    `reads` are those behind which a cell dies in an attempt with moves, and stores. `known` are those of attempts
    before: one that is the same is taken again, with what was computed for it.
    """
    if attempt.concerns is not None and not attempt.concerns(prepared.memory):
        return None
    alike = [a for a in known if a.prepared is prepared and a.whole_scope == attempt.whole_scope]
    plain = next((a for a in alike if a.is_plain), None)
    if not attempt.rewrites and plain is not None:
        return plain
    made = _made(prepared, attempt, alike, reads)
    if made is not None and made not in known:
        known.append(made)
    return made


def _made(
    prepared: Prepared, attempt: Attempt, known: Sequence[Automaton], reads: Set[Read | Store]
) -> Automaton | None:
    stale = Stale(prepared.cfa) if attempt.whole_scope else without_stale_pointers(prepared.memory)
    followed, memory = stale.cfa, prepared.memory
    if followed is not prepared.cfa:
        memory = Memory(prepared.inlined, followed, typed=True)
    places = stale.places
    unread = unread_cells(memory) if attempt.leaves_unread else frozenset()
    if attempt.leaves_unread:
        followed = without_unread_cells(memory)
        if followed is memory.cfa:
            return None
        memory = Memory(prepared.inlined, followed, typed=True)
    if attempt.finds_moves:
        followed = with_moves(memory, reads, back_cells(memory))
        if followed is memory.cfa:
            return None
        memory = Memory(prepared.inlined, followed, typed=True)
        places |= moved_places(memory)
    if attempt.rewrite is not None:
        rewritten = attempt.rewrite(memory)
        if rewritten == followed and attempt.needs_change:
            return None
        followed = rewritten
        memory = Memory(prepared.inlined, followed, typed=True)
    same = next((a for a in known if (a.stale, a.unread, a.rewritten) == (places, unread, followed)), None)
    if same is not None and attempt.rewrites:
        return same
    shared = sharing_of(followed, memory.pointer_places, whole_scope=attempt.whole_scope)
    return Automaton(prepared, memory, shared, places, attempt.whole_scope, not attempt.rewrites, unread)
