"""Which local variables may still be read, by a backward pass over each function.

Used to forget irrelevant values: dead temporaries hold no block, and dead numbers do not distinguish states.
"""

from __future__ import annotations

from collections.abc import Iterable

from kleene.cfa.expressions import Variable
from kleene.cfa.operations import address_taken
from kleene.cfa.program import CProgram
from kleene.cfa.types import FloatType, IntegerType
from kleene.passes.facts.liveness import live_before


class Liveness:
    """The dead variables at each location, computed per function when first asked for."""

    def __init__(self, program: CProgram) -> None:
        self._program = program
        self._live: dict[str, dict[str, frozenset[str]]] = {}
        self._temporaries: dict[str, frozenset[str]] = {}
        self._numbers: dict[str, frozenset[str]] = {}

    def dead_temporaries(self, function: str, location: str) -> frozenset[str]:
        """Temporaries that are not read from here before they are written again."""
        live = self._locations(function)
        return self._temporaries[function] - live.get(location, frozenset())

    def forgettable(self, function: str, location: str) -> frozenset[str]:
        """Temporaries and numbers that are not read from here; pointers stay, for they hold blocks."""
        live = self._locations(function)
        return self._numbers[function] - live.get(location, frozenset())

    def _locations(self, name: str) -> dict[str, frozenset[str]]:
        if name not in self._live:
            function = self._program.functions[name]
            exposed = {v.name for v in address_taken(edge.label for edge in function.cfa.edges)}
            own = [v for v in (*function.locals, *function.parameters) if v.name not in exposed]
            temporaries = {v for v in function.locals if v in own and v.is_temporary}
            numbers = {v for v in own if isinstance(v.type, IntegerType | FloatType)}
            live = live_before(function.cfa, temporaries | numbers)
            self._live[name] = {location: _names(variables) for location, variables in live.items()}
            self._temporaries[name] = _names(temporaries)
            self._numbers[name] = _names(temporaries | numbers)
        return self._live[name]


def _names(variables: Iterable[Variable]) -> frozenset[str]:
    return frozenset(variable.name for variable in variables)
