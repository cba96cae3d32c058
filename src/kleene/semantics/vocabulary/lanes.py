"""Lanes: cells that run along the list of another cell and skip nodes of it, as the upper levels of a skip list do.

Each lane is a separate list. The predicate ``s[lane,next]`` states that it runs along another list: it holds for a node
whose lane cell is null or points to a node behind it along ``next``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from kleene.logic.formula import Formula, conj, exists, forall, implies, neg
from kleene.logic.roles import Role, RoleKind
from kleene.logic.vocabulary import Predicate
from kleene.semantics.vocabulary.groups import ACYCLIC, Group, ShapeClass, has_cell
from kleene.semantics.vocabulary.names import at
from kleene.structures.structure import Structure
from kleene.transformers.action import Update


@dataclass(frozen=True)
class Lane:
    """A cell, as a group of its own, and the group that it runs along."""

    lane: Group
    along: Group

    @property
    def name(self) -> str:
        return f"s[{self.lane.name},{self.along.name}]"

    def predicate(self) -> Predicate:
        behind = implies(at(self.lane.name, "v", "v1"), at(self.along.closure, "v", "v1"))
        role = Role(RoleKind.LANE, self.lane.name)
        return Predicate(self.name, 1, ("v",), definition=forall(["v1"], behind), abstraction=True, role=role)

    def unlinking(self, source: Callable[[str], Formula], edge: str) -> list[Update]:
        """Updates for the removal of an edge: a lane that skips this edge no longer runs along the list."""
        if edge not in self.along.members:
            return []
        skips = conj(at(self.lane.name, "v", "v1"), self.along.lost_paths(source, edge)("v", "v1"))
        return [Update(self.name, ("v",), conj(at(self.name, "v"), neg(exists(["v1"], skips))))]


def lanes_of(shape: ShapeClass, groups: Sequence[Group]) -> list[Lane]:
    """Every lane with the group of the forward cells and with the lanes before it."""
    below = [g for g in groups if g.kind == ACYCLIC and not set(g.cells) & {*shape.lanes, *shape.back, *shape.headers}]
    result = []
    for cell in shape.lanes:
        own = [g for g in groups if g.cells == (cell,)]
        result += [Lane(lane, group) for lane in own for group in below if lane.kind == ACYCLIC]
        below += own
    return result


def find_lanes(structures: Iterable[Structure], groups: Sequence[Group]) -> tuple[str, ...]:
    """Cells that seem to be lanes: they point to the same node as another cell of their node, in some structure.

    Trees have no such node; in skip lists it occurs if the lane skips no node. The cell that is null in the fewest
    nodes is the list that the other cells run along.
    """
    candidates = [
        [m for m in group.members if m in group.cells]
        for group in groups
        if group.kind == ACYCLIC and not group.function
    ]
    candidates = [cells for cells in candidates if len(cells) > 1]
    given = list(structures) if candidates else []
    for cells in candidates:
        index = given[0].vocabulary.index if given else None
        places = [(f, 2 * index(f), g, 2 * index(g)) for f, g in combinations(cells, 2)] if index is not None else []
        twins = {m for s in given for f, i, g, j in places if s.values[i] & s.values[j] for m in (f, g)}
        if twins and index is not None:
            nulls: Counter[str] = Counter()
            for s in given:
                nulls.update({m: s.size - s.values[2 * index(has_cell(m)) + 1].bit_count() for m in cells})
            return tuple(sorted(twins, key=lambda m: (nulls[m], cells.index(m))))[1:]
    return ()
