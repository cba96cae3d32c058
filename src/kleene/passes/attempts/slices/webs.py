"""Webs: the definitions of a pointer that have a use in common, with these uses (Muchnick, *Advanced Compiler Design*).

A variable that is used for one list and then for another one has two webs, which may have different targets.
"""

from __future__ import annotations

from collections.abc import Set

from kleene.cfa.expressions import Variable
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import DeclareLocal, EndScope, Operation
from kleene.passes.facts.liveness import defined_variables, used_variables

Web = int
"""The number of a web; one for each variable is enough where its definitions are not told apart."""
_ONLY: Web = 0


class Webs:
    """The webs of some variables of an automaton; edges are known by their identity."""

    def __init__(self, cfa: Cfa[Operation], variables: Set[Variable]) -> None:
        self._leader: dict[tuple[Variable, int], int] = {}
        self._reaching: dict[tuple[Variable, int], int] = {}
        """For a variable and an edge that reads it, a definition that comes there."""
        definitions: dict[Variable, list[Edge[Operation]]] = {}
        for edge in cfa.edges:
            for variable in defined_variables(edge.label):
                if variable in variables and not isinstance(edge.label, EndScope):
                    definitions.setdefault(variable, []).append(edge)
        uses = {id(edge): used_variables(edge.label) for edge in cfa.edges}
        for variable, edges in definitions.items():
            if sum(not isinstance(edge.label, DeclareLocal) for edge in edges) > 1:
                for edge in edges:
                    self._follow(cfa, variable, edge, uses)

    def _follow(
        self, cfa: Cfa[Operation], variable: Variable, start: Edge[Operation], uses: dict[int, frozenset[Variable]]
    ) -> None:
        """Join a definition with those that come to the same uses."""
        own = id(start)
        self._leader.setdefault((variable, own), own)
        seen, waiting = {start.target}, [start.target]
        while waiting:
            for edge in cfa.leaving(waiting.pop()):
                if variable in uses[id(edge)]:
                    other = self._reaching.setdefault((variable, id(edge)), own)
                    self._leader[variable, self._find(variable, own)] = self._find(variable, other)
                if variable not in defined_variables(edge.label) and edge.target not in seen:
                    seen.add(edge.target)
                    waiting.append(edge.target)

    def _find(self, variable: Variable, definition: int) -> int:
        while (leader := self._leader[variable, definition]) != definition:
            definition = leader
        return definition

    def written(self, edge: Edge[Operation], variable: Variable) -> Web:
        """The web of the value that an edge gives to a variable."""
        return self._find(variable, id(edge)) if (variable, id(edge)) in self._leader else _ONLY

    def read(self, edge: Edge[Operation], variable: Variable) -> Web:
        """The web of the value that a variable has at an edge."""
        definition = self._reaching.get((variable, id(edge)))
        return self._find(variable, definition) if definition is not None else _ONLY
