"""Automata without the steps that do nothing.

A slice leaves out most operations. What is left are locations with something to do, their *heads*, and the ways between
them. A condition on numbers is kept if its two ways lead to different heads; then the numbers in it are needed, and
what changes these is something to do (Weiser. Program slicing, 1981; here by what comes next, without postdominators).
A condition without another way says what another pass knows of numbers, and is kept if the slice needs one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kleene.cfa.expressions import Comparison, Variable, variables
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Assign,
    Assume,
    EndScope,
    Exit,
    Havoc,
    Operation,
    Skip,
    expressions,
)
from kleene.passes.attempts.slices.projection import Projected
from kleene.passes.facts.liveness import dead_ends, defined_variables, starts, used_variables
from kleene.passes.facts.memory import constant_of

_MARK = "|"
"""In the names of locations that the program does not have, or where not all of its runs are that come to them."""
Heads = frozenset[str]


class Silencer:
    """One automaton whose operations were projected."""

    def __init__(self, cfa: Cfa[Operation], projected: Sequence[Projected]) -> None:
        taken = [(e, own) for e, own in zip(cfa.edges, projected, strict=True) if not _is_never_taken(e.label)]
        self.cfa = Cfa(cfa.entry, tuple(edge for edge, _ in taken))
        self.projected = [own for _, own in taken]
        self.index = {id(edge): number for number, (edge, _) in enumerate(taken)}
        self.nowhere = dead_ends(self.cfa)
        self.needed: set[Variable] = set()
        """The numbers that are followed."""
        self.decided: set[str] = set()
        """The locations whose condition on numbers is followed."""
        for own in self.projected:
            for operation in own.kept:
                self.needed |= _numbers_read(operation)
        self.heads: dict[str, Heads] = {}
        while True:
            self._need_definitions()
            self.heads = self._find_heads()
            if not self._decide():
                break

    def operations(self, edge: Edge[Operation]) -> tuple[Operation, ...]:
        """What an edge executes."""
        own = self.projected[self.index[id(edge)]]
        if own.test is not None:
            return (own.test,) if edge.source in self.decided else ()
        number = self._needed_part(own.number) if own.number is not None else None
        if number is None:
            return own.kept
        return (number,) if isinstance(number, Assign) else (*own.kept, number)  # an assignment reads by itself

    def _needed_part(self, number: Operation) -> Operation | None:
        if isinstance(number, EndScope):
            ended = tuple(v for v in number.variables if v in self.needed)
            return replace(number, variables=ended) if ended else None
        return number if any(v in self.needed for v in defined_variables(number)) else None

    def _need_definitions(self) -> None:
        """What the definitions of needed numbers read is needed too."""
        changed = True
        while changed:
            changed = False
            for own in self.projected:
                number = self._needed_part(own.number) if own.number is not None else None
                if number is not None and not isinstance(number, EndScope):
                    more = _numbers_read(number) - self.needed
                    self.needed |= more
                    changed |= bool(more)

    def _decide(self) -> bool:
        """Follow the conditions on numbers whose ways lead to different heads; whether there are new ones.

        A condition without another way tells something if its numbers are needed, as one whose other way ends does.
        """
        ways: dict[str, set[Heads]] = {}
        for edge in self.cfa.edges:
            own = self.projected[self.index[id(edge)]]
            if own.test is not None and edge.source not in self.decided:
                ends = () if len(self.cfa.leaving(edge.source)) > 1 else (Heads(),)  # no run goes the other way
                ways.setdefault(edge.source, set()).update((self.heads[edge.target], *ends))
        new = {location for location, heads in ways.items() if len(heads - self._left_ways(location)) > 1}
        for location in new:
            for edge in self.cfa.leaving(location):
                self.needed |= {v for x in expressions(edge.label) for v in variables(x)}
        self.decided |= new
        return bool(new)

    def _left_ways(self, location: str) -> set[Heads]:
        """Ways that end tell nothing, if no number in the condition is needed."""
        numbers = {v for e in self.cfa.leaving(location) for x in expressions(e.label) for v in variables(x)}
        return set() if numbers & self.needed else {frozenset()}

    def _find_heads(self) -> dict[str, Heads]:
        """For each location, the next ones with something to do; those that abort or lead nowhere count as none."""
        speaks = {e.source for e in self.cfa.edges if self.operations(e)}
        silent: dict[str, list[str]] = {name: [] for name in self.cfa.locations}
        heads: dict[str, Heads] = {}
        for name in self.cfa.locations:
            leaving = self.cfa.leaving(name)
            if name in speaks or not leaving:
                heads[name] = frozenset() if name in self.nowhere or _aborts(leaving) else frozenset((name,))
            else:
                heads[name] = frozenset()
                silent[name] = [edge.target for edge in leaving]
        order = sorted(self.cfa.locations, key=lambda name: self.cfa.post_order.get(name, -1))
        changed = True
        while changed:
            changed = False
            for name in order:
                if silent[name]:
                    more = heads[name].union(*(heads[to] for to in silent[name]))
                    changed |= more != heads[name]
                    heads[name] = more
        return heads

    def open_edges(self) -> list[Edge[Operation]]:
        """Edges whose operations read what the slice does not know, though it matters what this is.

        These are conditions without another way or with ways to different heads, and assignments to needed numbers.
        """
        edges = []
        for edge in self.cfa.edges:
            own = self.projected[self.index[id(edge)]]
            if isinstance(edge.label, Assume) and own.test is None and edge.label not in own.kept:
                leaving = self.cfa.leaving(edge.source)
                ways = {self.heads[other.target] for other in leaving} - {frozenset()}
                edges += [edge] if len(ways) > 1 or len(leaving) == 1 else []
            elif isinstance(edge.label, Assign) and isinstance(own.number, Havoc) and self._needed_part(own.number):
                edges.append(edge)
        return edges

    def quiet_automaton(self) -> Cfa[Operation]:
        """The automaton without silent steps. Locations with something to do keep their names."""
        edges: list[Edge[Operation]] = []
        entered: dict[str, Operation] = {self.cfa.entry: self.cfa.edges[0].label}
        for edge in self.cfa.edges:
            steps = self.operations(edge)
            if not steps and self._name(edge.source) == edge.source:  # beside a way with something to do
                steps = (Skip(edge.label.place),)
            elif not steps:
                continue
            heads = self.heads[edge.target]
            target = next(iter(heads)) if len(heads) == 1 else self._name(edge.target)
            here = edge.source
            for step in steps[:-1]:
                there = f"{edge.source}{_MARK}{len(edges)}"
                edges.append(Edge(here, step, there))
                here = there
            edges.append(Edge(here, steps[-1], target))
            if len(heads) != 1:
                entered.setdefault(edge.target, edge.label)
        for location, label in entered.items():
            heads = self.heads[location]
            if heads != {location}:
                here = self._name(location)
                edges += [Edge(here, Skip(label.place), head) for head in sorted(heads)]
        whole = Cfa(self._name(self.cfa.entry), tuple(edges))
        reachable = whole.reachable_from(starts(whole))
        return Cfa(whole.entry, tuple(edge for edge in edges if edge.source in reachable))

    def _name(self, location: str) -> str:
        """The name of a location in the result: silent steps that lead past a silent location do not come there."""
        return location if self.heads[location] == {location} else f"{location}{_MARK}"


def _numbers_read(operation: Operation) -> set[Variable]:
    return set(used_variables(operation))


def _is_never_taken(operation: Operation) -> bool:
    """Whether an operation is a condition on constants that does not hold: a pass has excluded the way."""
    match operation:
        case Assume(condition=Comparison(operator=("==" | "!=") as operator, left=left, right=right), truth=truth):
            values = [constant_of(side) for side in (left, right)]
            return None not in values and (values[0] == values[1]) != ((operator == "==") == truth)
    return False


def _aborts(leaving: Sequence[Edge[Operation]]) -> bool:
    return len(leaving) == 1 and isinstance(leaving[0].label, Exit) and leaving[0].label.status is None
