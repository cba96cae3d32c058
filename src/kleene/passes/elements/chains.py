"""Edges under construction: chains and branches of operations between the locations of an automaton."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from kleene.cfa.expressions import Comparison, Constant, Expression, Variable
from kleene.cfa.graph import Edge
from kleene.cfa.operations import CHOICE, Assume, Error, Havoc, Operation, Place, Skip, evaluations
from kleene.cfa.types import INT, Type


@dataclass
class Chains:
    """The edges so far, and the variables that they use."""

    prefix: str
    edges: list[Edge[Operation]] = field(default_factory=list)
    locals: dict[Variable, None] = field(default_factory=dict)
    fresh: int = 0

    def location(self) -> str:
        self.fresh += 1
        return f"{self.prefix}{self.fresh}"

    def add(self, here: str, operation: Operation) -> str:
        there = self.location()
        self.edges.append(Edge(here, operation, there))
        return there

    def read(self, here: str, expression: Expression, place: Place) -> str:
        """Evaluate an expression whose value is not used any more: its accesses may still be errors."""
        for operation in evaluations(place, (expression,)):
            here = self.add(here, operation)
        return here

    def connect(self, here: str, there: str, place: Place) -> None:
        self.edges.append(Edge(here, Skip(place), there))

    def local(self, name: str, type_: Type) -> Variable:
        variable = Variable(name, type_)
        self.locals[variable] = None
        return variable

    def branch(self, here: str, test: Expression, place: Place) -> tuple[str, str]:
        """The locations where a condition holds and where it does not."""
        return self.add(here, Assume(place, test)), self.add(here, Assume(place, test, truth=False))

    def only(self, here: str, test: Expression, place: Place, *, truth: bool = True) -> str:
        """Go on only where a condition holds: nothing else is possible."""
        return self.add(here, Assume(place, test, truth=truth))

    def maybe(self, here: str, place: Place) -> tuple[str, str]:
        """Two locations, either of which may come."""
        here, test = self.choice(here, place)
        return self.branch(here, test, place)

    def choice(self, here: str, place: Place) -> tuple[str, Comparison]:
        """A condition that may hold or not."""
        chosen = self.local("$more", INT)
        return self.add(here, Havoc(place, chosen, CHOICE)), Comparison("!=", chosen, Constant(0, INT))

    def fail(self, here: str, place: Place, kind: str, message: str) -> None:
        self.add(here, Error(place, kind, message))

    def shorten(self) -> tuple[Edge[Operation], ...]:
        """The edges, where a location of ours from which only a skip leads on is the same as its target."""
        leaving: dict[str, list[Edge[Operation]]] = {}
        for edge in self.edges:
            leaving.setdefault(edge.source, []).append(edge)
        same: dict[str, str] = {}
        for source, out in leaving.items():
            own = source.startswith(self.prefix)
            if own and len(out) == 1 and isinstance(out[0].label, Skip) and out[0].target != source:
                same[source] = out[0].target

        def final(name: str) -> str:
            seen = {name}
            while name in same and same[name] not in seen:
                name = same[name]
                seen.add(name)
            return name

        return tuple(Edge(e.source, e.label, final(e.target)) for e in self.edges if e.source not in same)

    def cases(self, here: str, of: Variable, ways: dict[int, Callable[[str], str]], place: Place) -> str:
        """Go different ways for the values of a variable, and on together; the last way is for all other values."""
        end = self.location()
        *first, last = ways.items()
        for value, way in first:
            yes, here = self.branch(here, Comparison("==", of, Constant(value, of.type)), place)
            self.connect(way(yes), end, place)
        self.connect(last[1](here), end, place)
        return end
