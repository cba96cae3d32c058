"""Reachability of blocks if the path to them changes from one group of cells to another.

A reachability predicate of a variable follows one group. No single group leads from a variable to a ring below a list,
or to the data of a doubly linked list with a pointer only to its end. A unary predicate then records that some node
holds the block: the block is reachable if all nodes that may hold it are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

from kleene.logic.formula import Formula, conj, disj, exists, forall, implies
from kleene.logic.roles import Role, RoleKind
from kleene.logic.vocabulary import Predicate
from kleene.semantics.vocabulary.groups import CIRCULAR, Group
from kleene.semantics.vocabulary.names import at

Kinds = frozenset[tuple[int, int]]
"""Pairs of object sizes: cells of the first kind of object may point to the second."""
Reach = Callable[[str], Formula]


@dataclass(frozen=True)
class Holding:
    """A predicate of nodes that something holds, and how the holder is connected to them."""

    name: str
    holders: Callable[[str, str], Formula]
    """Whether the first node holds the second."""
    defined: bool = False
    """Whether formulas use the definition in place of the predicate."""

    def predicate(self) -> Predicate:
        held = exists(["u"], self.holders("u", "v"))
        return Predicate(self.name, 1, ("v",), definition=held, abstraction=True, role=Role(RoleKind.HELD, self.name))

    def reachability(self, v: str, holder: Reach) -> Formula:
        """Something holds the node, and whatever may hold it is reachable."""
        variable = f"{v}'"
        held = exists([variable], self.holders(variable, v)) if self.defined else at(self.name, v)
        return conj(held, forall([variable], implies(self.holders(variable, v), holder(variable))))


def holdings(groups: Sequence[Group], edges: Mapping[str, Kinds]) -> tuple[list[Holding], list[Holding]]:
    """Predicates for blocks held below another group, and for blocks held by a single edge; `edges`: kinds by edge."""
    below: list[Holding] = []
    single: dict[str, Holding] = {}
    for group in groups:
        own = _kinds(group, edges)
        sources = {source for source, _ in own}
        entries: dict[str, None] = {}
        for other in groups:
            others = _kinds(other, edges)
            if other is group or not sources & _targets_of(others):
                continue
            new = _followed_from(_targets_of(others), own) - others
            ends = _targets_of(new)
            if ends & sources:
                entries.update({e: None for e in other.members if sources & {target for _, target in edges[e]}})
            else:
                single.update({e: _holding(e) for e in group.members if new & edges[e]})
        if entries:
            below.append(_below(group, list(entries)))
    return below, list(single.values())


def _kinds(group: Group, edges: Mapping[str, Kinds]) -> Kinds:
    return frozenset(pair for edge in group.members for pair in edges[edge])


def _followed_from(entered: Set[int], own: Kinds) -> Kinds:
    """The pairs of a group on paths from the kinds of objects that another group leads to."""
    followed: Kinds = frozenset()
    while more := frozenset(pair for pair in own - followed if pair[0] in entered):
        followed |= more
        entered = _targets_of(more)
    return followed


def _targets_of(kinds: Kinds) -> frozenset[int]:
    """The kinds of objects to which these cells may point."""
    return frozenset(target for _, target in kinds)


def _holding(edge: str) -> Holding:
    return Holding(held_by(edge), lambda u, v: at(edge, u, v))


def held_by(edge: str) -> str:
    """The predicate of nodes to which a cell points."""
    return f"held[{edge}]"


def _below(group: Group, entries: Sequence[str]) -> Holding:
    closure = group.whole_closure if group.kind == CIRCULAR else group.closure

    def holders(u: str, v: str) -> Formula:
        first = f"{u}{v}"
        return exists([first], conj(disj(*(at(e, u, first) for e in entries)), at(closure, first, v)))

    return Holding(f"below[{group.name}]", holders)


def reachable(direct: Reach, holdings: tuple[list[Holding], list[Holding]], v: str) -> Formula:
    """The node is reachable along one group, lies below such a node, or is held by one."""
    below, single = holdings

    def second(w: str) -> Formula:
        return disj(direct(w), *(holding.reachability(w, direct) for holding in below))

    return disj(second(v), *(holding.reachability(v, second) for holding in single))
