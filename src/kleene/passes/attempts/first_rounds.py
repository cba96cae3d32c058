"""First rounds: where a loop is entered for sure, its first test is apart from the others.

``last = NULL; for (i = 1; i <= n; i++) last = ...; last->next = ...`` with n at least 1: the test fails only behind a
round, so `last` is not NULL there. The shape analysis knows nothing of `i` and `n`, and at the head of the loop the
heap before the first round is one of many. So the head has a copy for those who come from outside of the loop, if the
intervals of numbers (`facts/intervals`) exclude one of its two branches there (conditional branches that are decided
on some of the ways to them: Mueller, Whalley. Avoiding conditional branches by code replication. PLDI 1995). The copy
still tests the condition, with what it reads. The program does the same as before.
"""

from __future__ import annotations

from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assume, Operation
from kleene.passes.attempts.choices import copy_name
from kleene.passes.facts.intervals import Intervals
from kleene.passes.facts.memory import Memory

_FACT = "the first round begins"


def with_first_rounds(memory: Memory) -> Cfa[Operation]:
    """The automaton of the memory with a copy of each loop head whose first test has one outcome; else the same one."""
    cfa = memory.cfa
    intervals = Intervals(memory.program, cfa)
    edges = list(cfa.edges)
    for head, body in cfa.loops.items():
        tests = cfa.leaving(head)
        if len(tests) != 2 or not all(isinstance(test.label, Assume) for test in tests):
            continue
        entering = [edge for edge in cfa.entering(head) if edge.source not in body]
        passed = [_passed(edge, tests, intervals) for edge in entering]
        known = next((test for test in passed if test is not None), None)
        if known is None or any(test != known for test in passed):
            continue
        copy = copy_name(head, _FACT)
        edges = [Edge(edge.source, edge.label, copy) if edge in entering else edge for edge in edges]
        edges.append(Edge(copy, known.label, known.target))
    return cfa if len(edges) == len(cfa.edges) else Cfa(cfa.entry, tuple(edges))


def _passed(edge: Edge[Operation], tests: tuple[Edge[Operation], ...], intervals: Intervals) -> Edge[Operation] | None:
    """The only branch that can be taken behind an edge; None if both can."""
    before = intervals.at.get(edge.source)
    after = intervals.after(edge.label, before) if before is not None else None
    if after is None:
        return None
    possible = [test for test in tests if intervals.after(test.label, after) is not None]
    return possible[0] if len(possible) == 1 else None
