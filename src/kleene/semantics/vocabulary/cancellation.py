"""Cells that lead back: ``v->f->b == v`` wherever v->f is not null, for forward cells f and back cells b.

The other way round, v is one of the forward cells of v->b. Only cells whose targets may have the other cell have such a
predicate: ``student->grades->prev`` does not exist if grades have no `prev`, and the predicate would tell students with
grades from those without.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from kleene.logic.formula import Not, conj, disj, forall, implies
from kleene.logic.roles import Role, RoleKind
from kleene.logic.vocabulary import Predicate
from kleene.semantics.vocabulary.groups import UNION, ShapeClass, parts_of
from kleene.semantics.vocabulary.names import at
from kleene.transformers.action import Rule


def cancelling(there: str, back: str) -> str:
    """The predicate of nodes to which the second cell leads back from where the first one leads."""
    return f"c[{there},{back}]"


@dataclass(frozen=True)
class Pair:
    """Two cells, or a cell and the union of others, with the edges that lead there and those that lead back."""

    cells: tuple[str, str]
    there: Sequence[str]
    back: Sequence[str]

    @property
    def name(self) -> str:
        return cancelling(*self.cells)

    def predicate(self) -> Predicate:
        """Wherever an edge of the first kind leads, one of the second kind leads back."""
        forth = disj(*(at(name, "v", "v1") for name in self.there))
        returns = forall(["v1"], implies(forth, disj(*(at(name, "v1", "v") for name in self.back))))
        role = Role(RoleKind.LEADS_BACK, self.cells[0], back=self.cells[1])
        return Predicate(self.name, 1, ("v",), definition=returns, abstraction=True, role=role)

    def rules(self) -> list[Rule]:
        """Consequences of the definition for several edges; for one, the rules of the definition are the same."""
        if len(self.there) == len(self.back) == 1:
            return []
        result: list[Rule] = []
        holds, why = at(self.name, "v1"), f"definition of {self.name}"
        for edge in self.there:
            none = conj(holds, *(Not(at(b, "v2", "v1")) for b in self.back))
            result.append(Rule(none, Not(at(edge, "v1", "v2")), why))
            for b in self.back:
                others = conj(holds, at(edge, "v1", "v2"), *(Not(at(o, "v2", "v1")) for o in self.back if o != b))
                result.append(Rule(others, at(b, "v2", "v1"), why))
        return result


@dataclass(frozen=True)
class Cancellation:
    """The pairs of a shape class, for pairs of a cell and an edge of it.

    `owners` are the sizes of the objects that have a cell, `targets` those of the objects that a cell leads to.
    """

    shape: ShapeClass
    edges: Sequence[tuple[str, str]]
    owners: Mapping[str, Set[int]]
    targets: Mapping[str, Set[int]]

    @cached_property
    def pairs(self) -> list[Pair]:
        shape = self.shape
        result: list[Pair] = []
        for part in parts_of(shape, self.edges):
            cells: dict[str, list[str]] = {}
            for cell, name in part:
                if cell not in shape.headers | shape.local | shape.references | set(shape.lanes):
                    cells.setdefault(cell, []).append(name)
            for b in [cell for cell in cells if cell in shape.back]:
                forward = [f for f in cells if f not in shape.back and self._may_return(f, b)]
                result += [Pair((f, b), cells[f], cells[b]) for f in forward]
                if forward:
                    every = [name for f in forward for name in cells[f]]
                    result.append(Pair((b, UNION if len(forward) > 1 else forward[0]), cells[b], every))
        return result

    def _may_return(self, forward: str, back: str) -> bool:
        """Whether each of two cells may lead to an object that has the other one."""
        there = self.targets[forward] & self.owners[back]
        return bool(there and self.targets[back] & self.owners[forward])

    def predicates(self) -> list[Predicate]:
        return [pair.predicate() for pair in self.pairs]

    def rules(self) -> list[Rule]:
        return [rule for pair in self.pairs for rule in pair.rules()]

    def led_back(self, back: str) -> dict[str, str]:
        """The forward edges of trees from whose targets an edge leads back, with the predicates that say so."""
        found = [pair for pair in self.pairs if back in pair.back]
        return {edge: pair.name for pair in found for edge in pair.there} if len(found) > 1 else {}
