"""Expanded assertions, and the constants that follow from them: unit propagation over divided predicates.

An assertion such as 'all of cell 3 are reachable from x' makes the divided predicate ``r[3]`` a constant; with that,
others become smaller and yield more. A solver would have to instantiate quantifiers for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from kleene.logic.formula import TRUE, And, Atom, Forall, Formula, Not, Or, exists, forall
from kleene.smt.closures import ClosureTable, Fields
from kleene.smt.expand import Expansion, presence, sort_of
from kleene.smt.universe import Universe

_PRESENT = "present:"
_MANY = 3


def sharpen_universe(assertions: Iterable[Formula], universe: Universe, fields: Fields) -> Universe:
    """The universe with the constants that follow from the assertions; the models are the same."""
    expansion = Expansion(universe)
    closures = ClosureTable(expansion, fields)
    plain = [closures.eliminate(exists(f.free, f)) for f in assertions]
    axioms = [f for f in closures.universal if _variables(f) < _MANY]
    Assertions(expansion).expand([*plain, *axioms])
    internal = set(closures.symbols.values())
    learnt = {place: value for place, value in expansion.learnt() if place[0] not in internal}
    there = {place[0] for place, value in learnt.items() if value}
    cells = tuple(
        replace(cell, optional=cell.optional and presence(i).predicate not in there)
        for i, cell in enumerate(universe.cells)
    )
    return Universe(cells, universe.domains, {**universe.fixed, **learnt})


class Assertions:
    """Formulas that are asserted, in their expanded form. Facts that were used to simplify others are kept."""

    def __init__(self, expansion: Expansion) -> None:
        self.expansion = expansion
        self._sources: dict[Formula, Formula] = {}
        self._facts: dict[Formula, None] = {}

    def expand(self, formulas: Sequence[Formula]) -> list[Formula]:
        """Formulas that are asserted, and the facts that follow from these and from those given earlier."""
        self._add(f for f in formulas if f not in self._sources)
        parts = [*self._facts, *(self._sources[f] for f in formulas)]
        return [f for f in dict.fromkeys(parts) if f is not TRUE]

    def _add(self, formulas: Iterable[Formula]) -> None:
        """Expand, the formulas with few variables first, until nothing new is learnt."""
        for f in sorted(formulas, key=_variables):
            self._sources[f] = self.expansion.expand_closed(f)
            if self._learn(self._sources[f]):
                self._propagate()

    def _propagate(self) -> None:
        learnt = True
        while learnt:
            learnt = False
            for f, old in self._sources.items():
                new = self.expansion.expand_closed(f)
                if new is not old:
                    self._sources[f] = new
                    learnt = self._learn(new) or learnt

    def _learn(self, expanded: Formula) -> bool:
        learnt = False
        for literal in _units(expanded):
            atom = literal.body if isinstance(literal, Not) else literal
            assert isinstance(atom, Atom)
            if self.expansion.learn(atom.predicate, value=atom is literal):
                free = [v for v in atom.args if not v.startswith("!")]
                self._facts[forall(free, literal)] = None
                learnt = True
        return learnt


def _variables(f: Formula) -> int:
    """The number of quantifiers at the front of a formula, which determines the size of its expansion."""
    count = 0
    while isinstance(f, Forall):
        f, count = f.body, count + 1
    return count


def _units(f: Formula) -> Iterator[Formula]:
    """The literals about all tuples of individuals that an assertion implies.

    A predicate's values on an empty cell are irrelevant, so a guard 'cell c is not empty' may be dropped for a literal
    about cell c.
    """
    stack: list[tuple[Formula, frozenset[str], frozenset[int]]] = [(f, frozenset(), frozenset())]
    while stack:
        g, bound, guards = stack.pop()
        match g:
            case And(a, b):
                stack += [(a, bound, guards), (b, bound, guards)]
            case Forall(v, body):
                stack.append((body, bound | {v}, guards))
            case Or(Not(Atom(name, ())), rest) | Or(rest, Not(Atom(name, ()))) if name.startswith(_PRESENT):
                stack.append((rest, bound, guards | {int(name.removeprefix(_PRESENT))}))
            case Atom(_, args) | Not(Atom(_, args)):
                variables = [v for v in args if not v.startswith("!")]
                general = len(set(variables)) == len(variables) and bound.issuperset(variables)
                if general and guards <= {sort_of(v) for v in args}:
                    yield g
