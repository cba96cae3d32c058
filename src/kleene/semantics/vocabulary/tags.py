"""Tags: integers in nodes that say which of their pointers are NULL, as in ``switch (e->kind)``.

A syntax tree has nodes of many kinds. To tell all kinds apart costs as many structures as there are combinations of
kinds. A tag claims less: nodes with this value have a pointer in that cell, or none has one. The predicate
``odd[left,.kind=0]`` holds for the nodes that do not keep to it. In most structures there are none; so nodes of all
kinds are summarised together, and where a test shows the kind of one of them, the rules of the definition show which of
its cells are NULL.

Any choice of tags is sound: a wrong one tells nodes apart, for nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kleene.logic.formula import TRUE, Formula, conj, disj, exists, neg
from kleene.logic.roles import Role, RoleKind
from kleene.logic.vocabulary import Predicate
from kleene.semantics.vocabulary.groups import has_cell, has_cell_predicate
from kleene.semantics.vocabulary.names import at


@dataclass(frozen=True)
class Claim:
    """Where the tag has the value, the cell is NULL; with `leads`, it is not.

    The value None stands for all that the program does not tell apart. With a `target`, the cell leads to no object of
    this size: a member of a union points to nodes and to texts.
    """

    cell: str
    value: int | None
    leads: bool = False
    target: int | None = None


@dataclass(frozen=True)
class Tag:
    """An integer at an offset of objects of one size: the values that it has, and what these say about cells."""

    size: int
    offset: int
    values: tuple[int | None, ...]
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class TaggedCells:
    """What predicates there are: of objects with values of the tag, of sizes, and the edges of cells.

    The rules of a definition conclude a literal: so a definition has a predicate for a cell that is not NULL, in place
    of a formula.
    """

    tag: Tag
    numbers: Mapping[int, str]
    sizes: Mapping[int, str]
    edges: Mapping[str, Sequence[str]]

    def predicates(self) -> list[Predicate]:
        """The predicates of the objects that do not keep to the tag, and those on which they depend."""
        if not self.numbers.keys() >= set(self.tag.values) - {None}:
            return []  # the program does not tell its values apart
        result = [] if None in self.tag.values else [_odd(f"odd[{self._name(None)}]", self._having(None))]
        for claim in self.tag.claims:
            edges = self.edges.get(claim.cell, ())
            if claim.target is None:
                result += [has_cell_predicate(edge) for edge in edges]
            result.append(self._of(claim, edges))
        return result

    def _of(self, claim: Claim, edges: Sequence[str]) -> Predicate:
        here, name = self._having(claim.value), f"{claim.cell},{self._name(claim.value)}"
        if claim.target is None:
            pointing = disj(*(at(has_cell(edge), "v") for edge in edges))
            return _odd(f"odd[{name}]", conj(here, neg(pointing) if claim.leads else pointing))
        to_target = disj(*(conj(at(edge, "v", "v1"), self._size(claim.target, "v1")) for edge in edges))
        return _odd(f"odd[{name},{claim.target}]", conj(here, exists(["v1"], to_target)))

    def _having(self, value: int | None) -> Formula:
        """The objects with the tag that have the value."""
        none_of_them = (neg(at(number, "v")) for number in self.numbers.values())
        has = conj(*none_of_them) if value is None else at(self.numbers[value], "v")
        return conj(self._size(self.tag.size, "v"), has)

    def _name(self, value: int | None) -> str:
        return f"none of {','.join(self.numbers.values())}" if value is None else self.numbers[value]

    def _size(self, size: int, v: str) -> Formula:
        return at(self.sizes[size], v) if size in self.sizes else TRUE


def _odd(name: str, definition: Formula) -> Predicate:
    return Predicate(name, 1, ("v",), definition=definition, abstraction=True, role=Role(RoleKind.ODD))
