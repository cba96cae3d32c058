"""The FESA domain for programs with recursive functions: calls on local heaps (`local_heaps`).

A function is analysed once for each place that calls it (`engine/tabulate.py`), with one state for each location.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import cached_property

from kleene.cfa.expressions import Variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Enter, Exit, Invoke, Leave, Operation, expressions
from kleene.domains.fesa.calls.local_heaps import Division, LocalHeaps
from kleene.domains.fesa.domain import FesaDomain
from kleene.domains.fesa.heap import Heap, State
from kleene.domains.fesa.widening import widen
from kleene.engine.tabulate import Procedure
from kleene.passes.facts.memory import Unmodelled
from kleene.semantics.steps.invocations import known_globals

MOST_FLAGS = 64
"""With more flags than this, the state after a call is widened."""


def procedures(cfa: Cfa[Operation]) -> dict[str, Procedure[Operation]]:
    """The functions that are analysed apart."""
    exits = {e.label.function: e.target for e in cfa.edges if isinstance(e.label, Leave)}
    return {
        e.label.function: Procedure(Cfa(e.source, cfa.edges), exits.get(e.label.function, ""))
        for e in cfa.edges
        if isinstance(e.label, Enter)
    }


class CallingFesaDomain(FesaDomain):
    """States are divided at a call; the callee's part is analysed in the context of the call's place."""

    @cached_property
    def procedures(self) -> dict[str, Procedure[Operation]]:
        return procedures(self.cfa)

    @cached_property
    def inside(self) -> frozenset[str]:
        """The locations of recursive functions."""
        return frozenset().union(*(p.cfa.reachable for p in self.procedures.values()))

    @cached_property
    def summarising(self) -> frozenset[str]:
        """Loop heads, and where recursive functions begin and end."""
        return self.loop_heads | {name for p in self.procedures.values() for name in (p.cfa.entry, p.exit)}

    @cached_property
    def loop_heads(self) -> frozenset[str]:
        return self.cfa.loop_heads.union(*(p.cfa.loop_heads for p in self.procedures.values()))

    @cached_property
    def heaps(self) -> LocalHeaps:
        labels = [e.label for e in self.cfa.edges if e.source in self.inside]
        variables = {n for label in labels for x in expressions(label) for n in walk(x) if isinstance(n, Variable)}
        own = {v.name for v in variables if not v.is_global}
        return LocalHeaps(self.transfer, own, known_globals(self.transfer.memory.program, self.cfa))

    @cached_property
    def _divisions(self) -> dict[tuple[Edge[Operation], State], Division]:
        return {}

    def callee(self, label: Operation) -> str | None:
        return label.function if isinstance(label, Invoke) else None

    def context(self, element: State) -> Hashable:
        return element.context

    def enter(self, edge: Edge[Operation], elements: Sequence[State]) -> list[list[State]]:
        return [self._enter(edge, element) for element in elements]

    def _enter(self, edge: Edge[Operation], element: State) -> list[State]:
        call = edge.label
        assert isinstance(call, Invoke)
        report = self.reporter(edge)
        after = self.live[edge.target] - ({call.target} if call.target is not None else set())
        gone = [v.name for v in self.tracked if v not in after]
        try:
            division = self.heaps.divide(element.heap(self.options), call, gone)
        except Unmodelled as reason:
            report("unsupported", str(reason))
            return []
        if division is None:
            return []
        self._divisions[edge, element] = division
        state = self.state(Heap(division.entry, self.options), self.procedures[call.function].cfa.entry, call.place)
        return [replace(state, context=edge)]

    def resume(self, edge: Edge[Operation], caller: State, entry: State, exits: Sequence[State]) -> list[State]:
        call, division = edge.label, self._divisions[edge, caller]
        assert isinstance(call, Invoke)
        report = self.reporter(edge)
        parts = []
        for end in exits:
            try:
                after = self.heaps.join(division, call, Heap(end.vectors, self.options))
            except Unmodelled as reason:
                report("unsupported", str(reason))
                continue
            self.forget_dead(after, edge)
            if not after.vectors.is_empty():
                parts.append(after)
        states = []
        for case, heap in self.cases(parts):
            if len(heap.flags) > MOST_FLAGS:
                widen(heap)
            states.append(self.state(heap, edge.target, call.place, case))
        return states

    def apply(self, heap: Heap, edge: Edge[Operation]) -> list[Heap]:
        operation = edge.label
        if isinstance(operation, Enter):
            return [heap]
        if isinstance(operation, Leave):
            self.heaps.leave(heap)
            return [heap]
        if isinstance(operation, Exit) and operation.status is not None and edge.source in self.inside:
            self.transfer.report("memory_cleanup", "a caller's block may not be freed when the program ends")
        return super().apply(heap, edge)
