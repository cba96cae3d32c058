"""Decided tests: a test whose outcome is known behind some of the edges that lead to it has copies for them.

``if (b > 1 && f(x) >= 0) return ...; if (b > 1 && f(x) < 0) ...``: the second test of `b` has one outcome where the
first one failed, and the other where `f(x)` failed. The ways come together before it, and the shape analysis does not
follow `b`. So the test has a copy for each outcome that the intervals of numbers (`facts/intervals`) know, which the
edges enter behind which it is known. A copy still tests the condition, with what it reads. The program does the same as
before. (Mueller, Whalley. Avoiding conditional branches by code replication. PLDI 1995; `first_rounds.py` does it for
loops.)
"""

from __future__ import annotations

from dataclasses import dataclass

from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assume, DeclareLocal, EndScope, Operation, Skip
from kleene.cfa.program import CProgram
from kleene.passes.attempts.choices import copy_name
from kleene.passes.facts.intervals import Intervals
from kleene.passes.facts.liveness import starts
from kleene.passes.facts.memory import Memory

MOST_ROUNDS = 4
"""Rounds of copies: a test is decided by a copy of the test before it in a chain of tests of one number."""
_QUIET = (Skip, DeclareLocal, EndScope)
"""Operations between the place where ways come together and a test."""


def with_decided_tests(memory: Memory) -> Cfa[Operation]:
    """The automaton of the memory with copies of tests for the ways on which they are decided; else the same one."""
    cfa = memory.cfa
    for number in range(MOST_ROUNDS):
        copied = _Copies(memory.program, cfa, number).result()
        if copied is cfa:
            break
        cfa = copied
    return cfa


@dataclass(frozen=True)
class _Chain:
    """The quiet operations from a place where ways come together to a test, and the two branches of the test."""

    start: str
    operations: tuple[Edge[Operation], ...]
    branches: tuple[Edge[Operation], ...]

    def taken(self, entering: Edge[Operation], numbers: list[Intervals]) -> Edge[Operation] | None:
        """The only branch that can be taken behind an edge to the start; None if both can."""
        possible: set[Edge[Operation]] = set()
        for intervals in numbers:
            bounds = intervals.at.get(entering.source)
            for edge in (entering, *self.operations):
                bounds = intervals.after(edge.label, bounds) if bounds is not None else None
            if bounds is not None:
                possible |= {branch for branch in self.branches if intervals.after(branch.label, bounds) is not None}
        return possible.pop() if len(possible) == 1 else None

    def copies(self, branch: Edge[Operation], number: int) -> list[Edge[Operation]]:
        """The operations and one branch of the test, from the copy of the start in a round."""
        fact = "the test holds" if isinstance(branch.label, Assume) and branch.label.truth else "the test fails"
        fact += f" (round {number + 1})"
        *quiet, last = (*self.operations, branch)
        edges = [Edge(copy_name(e.source, fact), e.label, copy_name(e.target, fact)) for e in quiet]
        return [*edges, Edge(copy_name(last.source, fact), last.label, last.target)]


@dataclass
class _Copies:
    """One round: copies of the tests of an automaton, each with the quiet operations before it.

    A copy of an earlier round is not entered again. It may lead to copies of later tests by now, and those were chosen
    by what is known behind the edges that entered it.
    """

    program: CProgram
    cfa: Cfa[Operation]
    number: int

    def result(self) -> Cfa[Operation]:
        parts = [Cfa(start, self.cfa.edges) for start in starts(self.cfa)]
        heads = frozenset[str]().union(*(part.loop_heads for part in parts))
        chains = [chain for name in sorted(self.cfa.merge_points) if (chain := self._chain(name, heads)) is not None]
        if not chains:
            return self.cfa
        numbers = [Intervals(self.program, part) for part in parts]
        targets: dict[Edge[Operation], str] = {}
        new: dict[Edge[Operation], None] = {}
        for chain in chains:
            entering = self.cfa.entering(chain.start)
            taken = {edge: chain.taken(edge, numbers) for edge in entering}
            if len(set(taken.values())) == 1:
                continue  # the test is decided, or open, on all ways
            for edge, branch in taken.items():
                if branch is not None:
                    copies = chain.copies(branch, self.number)
                    targets[edge] = copies[0].source
                    new |= dict.fromkeys(copies)
        if not targets:
            return self.cfa
        kept = [Edge(e.source, e.label, targets.get(e, e.target)) for e in self.cfa.edges]
        whole = Cfa(self.cfa.entry, (*kept, *new))
        reached = whole.reachable_from(starts(whole))
        return Cfa(whole.entry, tuple(edge for edge in whole.edges if edge.source in reached))

    def _chain(self, start: str, heads: frozenset[str]) -> _Chain | None:
        """The way from a location to a test; None if there is none, or the test is that of a loop."""
        operations: list[Edge[Operation]] = []
        location = start
        while location not in heads:
            leaving = self.cfa.leaving(location)
            if _is_test(leaving):
                return _Chain(start, tuple(operations), leaving)
            if len(leaving) != 1 or not isinstance(leaving[0].label, _QUIET):
                return None
            operations.append(leaving[0])
            location = leaving[0].target
        return None


def _is_test(leaving: tuple[Edge[Operation], ...]) -> bool:
    """Whether the edges of a location are the two branches of one condition."""
    labels = [edge.label for edge in leaving]
    if len(labels) != 2 or not isinstance(labels[0], Assume) or not isinstance(labels[1], Assume):
        return False
    return labels[0].condition == labels[1].condition and labels[0].truth != labels[1].truth
