"""How the individuals of a query are divided into cells, as one sort for each canonical name needs it.

Every individual belongs to one cell. A value that is constant on a cell (or on a tuple of cells) is stored here, not in
a formula: abstraction predicates disappear from the queries, equality across cells is false, and a cell that
holds one individual is a constant (docs/concepts/symbolic.md).

A variable ``v@label`` ranges over the domain of that label, ``v@ci`` over cell number i, any other over all cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Cell:
    """A part of the universe: `single` holds at most one individual, `optional` perhaps none.

    `values` are the unary predicates that are constant on it.
    """

    name: str
    values: Mapping[str, bool] = field(default_factory=dict)
    single: bool = False
    optional: bool = False


@dataclass(frozen=True)
class Universe:
    """The cells, the named domains of variables, and predicates that are constant on tuples of cells."""

    cells: tuple[Cell, ...] = (Cell("node"),)
    domains: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    fixed: Mapping[tuple[str, tuple[int, ...]], bool] = field(default_factory=dict)

    def domain(self, variable: str) -> tuple[int, ...]:
        """The cells that a variable ranges over."""
        _, separator, label = variable.rpartition("@")
        if not separator:
            return tuple(range(len(self.cells)))
        domain = self.domains.get(label)
        return (int(label[1:]),) if domain is None else domain

    def constant(self, symbol: str, cells: tuple[int, ...]) -> bool | None:
        """The value of a predicate on all tuples of individuals of these cells, if it is known."""
        if len(cells) == 1:
            value = self.cells[cells[0]].values.get(symbol)
            if value is not None:
                return value
        return self.fixed.get((symbol, cells))


def in_domain(variable: str, label: str) -> str:
    """The variable, ranging over the domain of that label."""
    return f"{variable}@{label}"
