"""The program's own variables, for people: the analysis lets pointers whose lives do not overlap share a predicate.

A predicate keeps the name of one of the variables that share it (`passes/coalesce.py`). Which of them is meant
depends on the place: at a step it is the one that the step mentions, at a location the one that is live.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property

from kleene.cfa.expressions import Variable, walk
from kleene.cfa.graph import Edge
from kleene.cfa.operations import DeclareLocal, Operation, expressions
from kleene.passes.facts.liveness import defined_variables, live_before
from kleene.refine.model import Task

Names = Mapping[str, str]


class SourceNames:
    """Names of one task."""

    def __init__(self, task: Task) -> None:
        self.task = task

    @cached_property
    def _shared_variables(self) -> dict[Variable, Variable]:
        """For each variable of the program the one whose predicate it has."""
        shared: dict[Variable, Variable] = {}
        for edge in self.task.cfa.edges:
            old = self.task.readable(edge)
            if type(old) is type(edge.label):
                for variable, holder in zip(_variables(old), _variables(edge.label), strict=False):
                    shared.setdefault(variable, holder)
        return shared

    def all_of(self, name: str) -> list[str]:
        """The variables that share a predicate."""
        return [v.name for v, holder in self._shared_variables.items() if holder.name == name] or [name]

    def of(self, name: str, locations: Iterable[str]) -> frozenset[str]:
        """The source names of a variable at some locations."""
        return frozenset(self.at(location).get(name, name) for location in locations)

    def at_step(self, edge: Edge[Operation]) -> Names:
        """The source names of the variables of a step."""
        pairs = zip(_variables(edge.label), _variables(self.task.readable(edge)), strict=False)
        return {holder.name: variable.name for holder, variable in pairs if holder != variable}

    @cached_property
    def _live(self) -> dict[str, frozenset[Variable]]:
        original = self.task.original or self.task.cfa
        return live_before(original, set(self._shared_variables), whole_scope=self.task.whole_scope, to_exits=True)

    def at(self, location: str) -> Names:
        """The source names of the live variables of a location."""
        live = self._live.get(location, frozenset())
        return {self._shared_variables[v].name: v.name for v in live if self._shared_variables[v] != v}


def _variables(operation: Operation) -> list[Variable]:
    declared = list(defined_variables(operation)) if isinstance(operation, DeclareLocal) else []
    return declared + [node for e in expressions(operation) for node in walk(e) if isinstance(node, Variable)]


def rename_variables(text: str, names: Names) -> str:
    """The text with other names for variables."""
    if not names:
        return text
    choice = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(rf"(?<![\w$.#])(?:{choice})(?![\w$#])", lambda match: names[match[0]], text)
