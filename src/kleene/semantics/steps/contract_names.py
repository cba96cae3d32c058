"""The predicates of contracts in formulas, as predicates of the program's memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from kleene.cfa.expressions import Variable
from kleene.cfa.operations import Specified
from kleene.cfa.types import PointerType, RecordType
from kleene.logic.formula import FALSE, Formula, disj
from kleene.logic.transform import replace_atoms
from kleene.passes.facts.memory import Unmodelled, leaves
from kleene.semantics.contracts.specifications import Meaning, Specification
from kleene.semantics.steps.context import StepContext
from kleene.semantics.vocabulary.cancellation import cancelling
from kleene.semantics.vocabulary.groups import ACYCLIC, CIRCULAR, CYCLIC, LOCAL, Group
from kleene.semantics.vocabulary.names import at


@dataclass
class NamesOfMemory:
    """The names of the predicates of a contract in the program's memory."""

    context: StepContext
    operation: Specified
    specification: Specification
    pointers: dict[str, Variable]

    @property
    def cells(self) -> dict[str, list[str]]:
        """The edges of each field."""
        cells: dict[str, list[str]] = {f: [] for f in self.specification.words.fields}
        memory = self.context.memory
        for record in self.operation.records:
            for leaf in leaves(record, self.context.program):
                cell = memory.cell_of.get((memory.record_size(record), leaf.offset))
                if leaf.name in cells and cell is not None:
                    if memory.cell_targets[cell] and self.context.symbols.target_offsets(cell) != [0]:
                        raise Unmodelled(f"the field '{leaf.name}' of a contract, which may point inside objects")
                    edge = self.context.symbols.cell(cell, 0)
                    if edge not in cells[leaf.name]:
                        cells[leaf.name].append(edge)
        return cells

    def pointer(self, name: str) -> str | None:
        """The predicate of a pointer; None if it is always NULL."""
        variable = self.pointers[name]
        if self.context.memory.kind(variable) != "pointer":
            raise Unmodelled(f"{variable}, which is a memory object, in a contract")
        pointer = self.context.symbols.pointer(variable)
        if pointer.offsets not in ((0,), ()):
            raise Unmodelled(f"{variable}, which may point inside objects, in a contract")
        return pointer.predicate(0) if pointer.offsets else None

    def group(self, fields: tuple[str, ...]) -> Group | None:
        """The group with exactly the edges of the fields."""
        edges = self._edges(fields)
        return next((g for g in self.context.symbols.groups if set(g.members) == edges), None)

    def cancelling(self, f: str, g: str) -> str | None:
        """The predicate for nodes where one field leads back along another."""
        edges = self.cells[f], self.cells[g]
        if any(len(own) != 1 for own in edges):
            return None
        name = cancelling(edges[0][0], edges[1][0])
        return name if any(pair.name == name for pair in self.context.symbols.cancellation.pairs) else None

    def now(self, name: str, args: tuple[str, ...]) -> Formula:
        """A predicate of the contract, at this moment."""
        meaning = self.specification.words.meanings[name]
        group = self.group(meaning.fields) if meaning.fields else None
        match meaning:
            case Meaning("pointer" | "reach", _, root) if self.pointer(root) is None:
                return FALSE
            case Meaning("pointer"):
                return at(self.pointer(name) or "", *args)
            case Meaning("field", (f,)):
                return disj(*(at(edge, *args) for edge in self.cells[f]))
            case Meaning("path") if group is not None and group.kind in (ACYCLIC, CYCLIC, CIRCULAR):
                return at(group.whole_closure if group.kind == CIRCULAR else group.closure, *args)
            case Meaning("reach", _, root) if group is not None and group.kind in (ACYCLIC, CYCLIC, CIRCULAR):
                start = self.pointer(root) or ""
                if group.whole and start in group.roots(self.context.symbols.roots):
                    return at(group.reach(start), *args)
            case Meaning("shared") if group is not None and group.sharing and group.kind != LOCAL:
                return at(group.shared, *args)
            case Meaning("inverse", (f, g)) if (known := self.cancelling(f, g)) is not None:
                return at(known, *args)
            case Meaning("cycle") if group is not None and group.kind == ACYCLIC:
                return FALSE
            case Meaning("cycle") if group is not None and group.kind in (CIRCULAR, CYCLIC):
                return at(group.on_cycle, *args)
            case Meaning("cycle", fields) if (linked := self.on_cycles(fields, self._edges(fields))) != fields:
                if not linked:
                    return FALSE
                if linked in self.specification.words.sets:
                    return self.now(self.specification.words.predicate_of("cycle", linked), args)
            case Meaning("reach", fields, root):
                return disj(self._defined(meaning, args), *self._reached_partly(fields, root, *args))
        return self._defined(meaning, args)

    def _defined(self, meaning: Meaning, args: tuple[str, ...]) -> Formula:
        """A predicate of the contract by its definition."""
        definition = self.specification.words.definition(meaning, args)
        return replace_atoms(definition, lambda a: self.now(a.predicate, a.args))

    def _reached_partly(self, fields: tuple[str, ...], root: str, v: str) -> Iterator[Formula]:
        """Predicates of the program that imply that a pointer reaches v along fields.

        Where the analysis follows the members of a header apart, paths along all of them have no predicate.
        """
        symbols, start, edges = self.context.symbols, self.pointer(root), self._edges(fields)
        for group in symbols.groups if start is not None else ():
            if set(group.members) <= edges and group.whole and group.kind in (ACYCLIC, CYCLIC, CIRCULAR):
                if start in group.roots(symbols.roots):
                    yield at(group.reach(start), v)
                yield from (at(p, v) for p, by, edge in symbols.entrances(group) if by == start and edge in edges)

    def _edges(self, fields: tuple[str, ...]) -> set[str]:
        return {edge for f in fields for edge in self.cells[f]}

    def on_cycles(self, fields: tuple[str, ...], edges: Collection[str]) -> tuple[str, ...]:
        """The fields that types allow on a cycle of some edges: all blocks have the members of their types."""
        memory, symbols = self.context.memory, self.context.symbols
        links: list[tuple[str, int, int]] = []
        for record in self.operation.records:
            size = memory.record_size(record)
            for leaf in leaves(record, self.context.program):
                cell = memory.cell_of.get((size, leaf.offset))
                target = leaf.type.target if isinstance(leaf.type, PointerType) else None
                if cell is not None and isinstance(target, RecordType) and symbols.cell(cell, 0) in edges:
                    links.append((leaf.name, size, memory.record_size(target)))
        while True:
            sources, targets = {a for _, a, _ in links}, {b for _, _, b in links}
            within = [(f, a, b) for f, a, b in links if a in targets and b in sources]
            if len(within) == len(links):
                return tuple(f for f in fields if any(f == name for name, _, _ in links))
            links = within
