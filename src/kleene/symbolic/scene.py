"""A symbolic operation as a query: the stores to search, and what to observe in them.

A scene has nodes (those of the input structure, and nodes that actions create); every individual of a store belongs to
one of them, so that the mapping of individuals to nodes is part of the query and the input need not be bounded. The
dimensions are unary symbols that must be definite in the result; splitting a node by them gives cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product

from kleene.logic.formula import Atom, Equal, Formula, conj, disj, exists, forall, neg
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Vocabulary
from kleene.smt.closures import Fields
from kleene.smt.finite_model import FiniteModel
from kleene.smt.universe import Cell, Universe, in_domain
from kleene.structures.structure import Structure, StructureBuilder

CellName = tuple[int, tuple[bool, ...]]
"""The name of an individual: a node of the scene and the values of all dimensions."""


@dataclass(frozen=True)
class SceneNode:
    """Stands for at most one individual if `single`, for none perhaps if `optional`, for two or more if `plural`.

    `known` are the unary symbols that are definite on it; `born` is the moment from which it exists.
    """

    label: str
    known: Mapping[str, bool]
    single: bool
    optional: bool
    plural: bool = False
    born: int = 0


@dataclass(frozen=True)
class Moment:
    """A domain of quantifiers: the nodes born so far whose `kept` symbols all hold."""

    label: str
    born: int
    kept: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scene:
    """A query: `base` holds in the stores to search; `facts` are the values that are constant on tuples of nodes.

    The result is observed over `output` at `last`; `symbols` maps each predicate to its symbol.
    """

    nodes: tuple[SceneNode, ...]
    dimensions: tuple[str, ...]
    unique: frozenset[str]
    facts: Mapping[tuple[str, tuple[int, ...]], bool]
    base: tuple[Formula, ...]
    fields: Fields
    output: Vocabulary
    symbols: Mapping[str, str]
    moments: tuple[Moment, ...] = ()
    last: Moment | None = None
    required: frozenset[str] = field(default_factory=frozenset)

    # Partitions -----------------------------------------------------------------------------------------

    def coarse_cells(self, most: int) -> list[tuple[int, dict[str, bool]]]:
        """Cells for the first phase: nodes are split, by unique dimensions first, into at most `most` cells."""
        cells: list[tuple[int, dict[str, bool]]] = [(i, {}) for i in range(len(self.nodes))]
        order = sorted(self.dimensions, key=lambda d: (d not in self.required, d not in self.unique))
        for symbol in order:
            split = [
                (i, {**values, symbol: value})
                for i, values in cells
                for value in ((True, False) if symbol not in self.nodes[i].known else (self.nodes[i].known[symbol],))
            ]
            if len(split) <= most or symbol in self.required:
                cells = split
        return cells

    def universe(self, cells: Iterable[tuple[int, Mapping[str, bool]]], *, all_present: bool) -> Universe:
        """The universe with these cells; a cell is optional unless all of them are known to be there."""
        listed = list(cells)
        count = [sum(i == j for j, _ in listed) for i in range(len(self.nodes))]
        made = []
        for i, values in listed:
            node = self.nodes[i]
            known = {**node.known, **values}
            single = node.single or any(known.get(s, False) for s in self.unique)
            optional = not all_present and (node.optional or count[i] > 1)
            label = node.label + "".join(f" {'' if v else '!'}{s}" for s, v in values.items() if s not in node.known)
            made.append(Cell(label, known, single, optional))
        return Universe(tuple(made), self._domains(listed, made), self._fixed_facts(listed))

    def _domains(self, listed: list[tuple[int, Mapping[str, bool]]], made: list[Cell]) -> dict[str, tuple[int, ...]]:
        domains = {f"n{i}": tuple(c for c, (j, _) in enumerate(listed) if i == j) for i in range(len(self.nodes))}
        for moment in self.moments:
            domains[moment.label] = tuple(
                c for c, (i, _) in enumerate(listed) if self.exists_at(moment, i, made[c].values)
            )
        return domains

    def exists_at(self, moment: Moment | None, node: int, values: Mapping[str, bool]) -> bool:
        if moment is None:
            return True
        return self.nodes[node].born <= moment.born and all(values[s] for s in moment.kept)

    def _fixed_facts(self, listed: list[tuple[int, Mapping[str, bool]]]) -> dict[tuple[str, tuple[int, ...]], bool]:
        of_node: list[list[int]] = [[] for _ in self.nodes]
        for c, (i, _) in enumerate(listed):
            of_node[i].append(c)
        return {
            (symbol, cells): value
            for (symbol, nodes), value in self.facts.items()
            for cells in product(*(of_node[i] for i in nodes))
        }

    # Names of individuals -------------------------------------------------------------------------------

    def counts(self) -> list[Formula]:
        """Onto-ness and the number of individuals of each node."""
        parts = []
        for i, node in enumerate(self.nodes):
            v, w = in_domain("v", f"n{i}"), in_domain("w", f"n{i}")
            if not node.optional:
                parts.append(exists([v], Equal(v, v)))
            if node.single:
                parts.append(forall([v, w], Equal(v, w)))
            if node.plural:
                parts.append(exists([v, w], neg(Equal(v, w))))
        return parts

    def is_called(self, name: CellName, variable: str) -> Formula:
        """The individual (of the name's node) has the name."""
        known = self.nodes[name[0]].known
        parts = []
        for symbol, value in zip(self.dimensions, name[1], strict=True):
            if symbol in known:
                continue
            atom = Atom(symbol, (variable,))
            parts.append(atom if value else neg(atom))
        return conj(*parts) if parts else Equal(variable, variable)

    def has(self, name: CellName) -> Formula:
        """Some individual has the name."""
        v = in_domain("v", f"n{name[0]}")
        return exists([v], self.is_called(name, v))

    def other_than(self, names: frozenset[CellName]) -> Formula:
        """The names that occur are not exactly these."""
        parts = [neg(self.has(name)) for name in sorted(names)]
        for i in range(len(self.nodes)):
            v = in_domain("v", f"n{i}")
            strange = [neg(self.is_called(name, v)) for name in sorted(names) if name[0] == i]
            parts.append(exists([v], conj(*strange, Equal(v, v))))
        return disj(*parts)

    def names_in(self, model: FiniteModel, nodes: list[int]) -> frozenset[CellName]:
        """The names that occur in a model; `nodes` gives the node of each cell."""
        return frozenset(
            (nodes[cell], tuple(model.holds(s, (i,)) for s in self.dimensions)) for i, cell in enumerate(model.cells)
        )

    def has_all_nodes(self, names: frozenset[CellName]) -> bool:
        """Whether every node that is not optional has a name."""
        named = {node for node, _ in names}
        return all(node.optional or i in named for i, node in enumerate(self.nodes))

    def candidates(self, node: int) -> list[CellName]:
        """All names that individuals of a node could have."""
        known = self.nodes[node].known
        choices = [(known[s],) if s in known else (True, False) for s in self.dimensions]
        return [(node, values) for values in product(*choices)]

    def values_of(self, name: CellName) -> dict[str, bool]:
        return dict(zip(self.dimensions, name[1], strict=True))

    def store(self, model: FiniteModel, nodes: list[int]) -> Structure:
        """The concrete structure that a model shows at the end; `nodes` gives the node of each cell."""
        kept = self.last.kept if self.last is not None else ()
        there = [
            i
            for i, cell in enumerate(model.cells)
            if self.exists_at(self.last, nodes[cell], {s: model.holds(s, (i,)) for s in kept})
        ]
        builder = StructureBuilder(self.output, len(there))
        for p in self.output.declared:
            for places in product(range(len(there)), repeat=p.arity):
                if model.holds(self.symbols[p.name], tuple(there[u] for u in places)):
                    builder.set(p.name, places, Kleene.TRUE)
        return builder.build()
