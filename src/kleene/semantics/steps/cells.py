"""Pointer cells of objects: writing, clearing and copying them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kleene.cfa.expressions import Expression
from kleene.logic.formula import FALSE, TRUE, UNKNOWN, Formula, IfThenElse, conj, disj, exists, neg
from kleene.logic.roles import RoleKind
from kleene.passes.facts.memory import Unmodelled
from kleene.semantics.steps.context import Base, StepContext
from kleene.semantics.steps.pointers import PointerSteps
from kleene.semantics.vocabulary.counts import Source, anchor_of
from kleene.semantics.vocabulary.groups import ACYCLIC, CIRCULAR, Group
from kleene.semantics.vocabulary.names import at
from kleene.semantics.vocabulary.predicates import Pointer
from kleene.transformers.action import Update


class CellSteps:
    """Changes of pointer cells. A cell is cleared before it is set, so that one edge changes at a time."""

    def __init__(self, context: StepContext, pointers: PointerSteps) -> None:
        self.context = context
        self.program = context.program
        self.memory = context.memory
        self.constants = context.constants
        self.symbols = context.symbols
        self.pointers = pointers

    def write_cell(self, lvalue: Expression, value: Expression) -> None:
        source = self.pointers.load(value)
        self.store_pointer(self.pointers.objects_of(lvalue, (0, lvalue.type.size)), source, str(lvalue))

    def store_pointer(self, bases: Sequence[Base], source: Pointer | None, text: str) -> None:
        self.pointers.require_writable(bases)
        settled = self._recount(bases, source, text)
        self.spoil(bases, self.program.pointer_size)
        self.context.settled = settled
        self.clear(bases, text)
        if source is not None:
            self.set_cell(bases, source, text)
        self.context.settled = frozenset()

    def _recount(self, bases: Sequence[Base], source: Pointer | None, text: str) -> frozenset[str]:
        """Before cells get a value: the new claims about lists through them, and the predicates that are settled."""
        counts = self.context.counts
        if counts is None or not all(b.place in self.memory.cell_of for b in bases):
            return frozenset()
        value = Source(FALSE, TRUE) if source is None else anchor_of(source, self.symbols).source
        if source is not None and (not source.tracked or not set(source.offsets) <= {0}):
            value = Source(UNKNOWN, UNKNOWN)
        updates = counts.store([(b.place, b.formula) for b in bases], value)
        if updates:
            places = [(b.place, b.formula) for b in bases]
            focus = [*(base.formula("v") for base in bases), *counts.first_nodes(places)]
            self.context.step(f"count {text}", updates, focus=focus)
        cells = {self.memory.cell_of[b.place] for b in bases}
        edges = {self.symbols.cell(c, to) for c in cells for to in self.symbols.target_offsets(c)}
        return frozenset(edges | {self.symbols.cell_undefined(c) for c in cells})

    def clear(self, bases: Sequence[Base], text: str) -> None:
        """The cell becomes NULL, one edge predicate after another."""
        for base in bases:
            cell = self._cell(base, text)
            if not self.symbols.precision.tracks_cell(cell):
                continue
            undefined = self.symbols.cell_undefined(cell)
            keep = Update(undefined, ("v",), conj(at(undefined, "v"), neg(base.formula("v"))))
            edges = [self.symbols.cell(cell, to) for to in self.symbols.target_offsets(cell)]
            if not edges:
                self.context.step(f"{text} = NULL", [keep])
            for edge in edges:
                self._remove_edge(base, edge, keep, text)
            groups = dict.fromkeys(self.symbols.group_of(edge) for edge in edges)
            for group in groups:
                if group.kind == CIRCULAR:
                    self._mend(group)

    def _cell(self, base: Base, text: str) -> str:
        cell = self.memory.cell_of.get(base.place)
        if cell is None:
            raise Unmodelled(f"{text} is at a place where no pointer is known")
        return cell

    def _remove_edge(self, base: Base, edge: str, keep: Update, text: str) -> None:
        remaining = conj(at(edge, "v1", "v2"), neg(base.formula("v1")))
        updates = [Update(edge, ("v1", "v2"), remaining), keep]
        group = self.symbols.group_of(edge)
        if group.kind == CIRCULAR:
            gone = conj(base.formula("v1"), at(edge, "v1", "v2"))
            mine = conj(base.formula("v"), exists(["v1"], at(edge, "v", "v1")))
            updates.append(Update(group.cut, ("v",), conj(at(group.cut, "v"), neg(mine))))
            updates.append(Update(group.step, ("v1", "v2"), conj(at(group.step, "v1", "v2"), neg(gone))))
            removed = group.removal(lambda v: conj(base.formula(v), exists(["w"], at(edge, v, "w"))))
            updates += self.symbols.without_absent(removed)
        elif group.kind == ACYCLIC and len(group.members) > 1:
            updates += self.symbols.without_absent(group.unlinking(base.formula, edge, self.symbols.roots))
        for lane in self.symbols.lanes:
            updates += self.symbols.without_absent(lane.unlinking(base.formula, edge))
        if group.sharing:  # one cell less points to its target
            target, crowded = exists(["v1"], conj(base.formula("v1"), at(edge, "v1", "v"))), at(group.crowded, "v")
            less = Update(group.shared, ("v",), IfThenElse(target, crowded, at(group.shared, "v")))
            updates += self.symbols.without_absent([less])
            updates.append(Update(group.crowded, ("v",), IfThenElse(target, conj(crowded, UNKNOWN), crowded)))
        focus = [base.formula("v"), self.pointers.edge_focus(base, edge)]
        focus += self.symbols.parent_foci(base.formula, edge)
        self.context.step(f"{text} = NULL", updates, focus=focus)

    def _mend(self, group: Group) -> None:
        """A cut edge that closes no cycle any more becomes an edge of the forest."""
        closes = at(group.on_cycle, "v")
        mended = conj(at(group.name, "v1", "v2"), at(group.cut, "v1"), neg(at(group.on_cycle, "v1")))
        updates = [
            Update(group.cut, ("v",), conj(at(group.cut, "v"), closes)),
            Update(group.step, ("v1", "v2"), disj(at(group.step, "v1", "v2"), mended)),
        ]
        again = conj(at(group.cut, "u"), neg(at(group.on_cycle, "u")), at(group.name, "u", "w"))
        focus = [exists(["u", "w"], conj(again, at(group.closure, "w", "v")))]
        self.context.step(f"mend {group.name}", updates, focus=focus)

    def set_cell(self, bases: Sequence[Base], source: Pointer, text: str) -> None:
        for base in bases:
            cell = self._cell(base, text)
            if not self.symbols.precision.tracks_cell(cell):
                continue
            undefined = self.symbols.cell_undefined(cell)
            poison = conj(base.formula("v"), self.context.is_undefined(source))
            keep = Update(undefined, ("v",), disj(at(undefined, "v"), poison))
            if not source.offsets:
                self.context.step(f"{text} = {source.name}", [keep])
            if not set(source.offsets) <= set(self.symbols.target_offsets(cell)):
                raise Unmodelled(f"{text} may point to too many places inside objects")
            for offset in source.offsets:
                self._add_edge(base, self.symbols.cell(cell, offset), source, offset, keep, text)

    def _add_edge(self, base: Base, edge: str, source: Pointer, offset: int, keep: Update, text: str) -> None:
        added = conj(base.formula("v1"), source.at(offset, "v2"))
        updates = [Update(edge, ("v1", "v2"), disj(at(edge, "v1", "v2"), added)), keep]
        group = self.symbols.group_of(edge)
        if group.kind == CIRCULAR:  # an edge to where its own source can be reached from closes a cycle, and is cut
            closes = exists(["v1"], conj(source.at(offset, "v1"), at(group.closure, "v1", "v")))
            opens = neg(at(group.closure, "v2", "v1"))
            updates.append(Update(group.cut, ("v",), disj(at(group.cut, "v"), conj(base.formula("v"), closes))))
            updates.append(Update(group.step, ("v1", "v2"), disj(at(group.step, "v1", "v2"), conj(added, opens))))
            updates += self.symbols.without_absent(group.addition(base.formula, lambda v: source.at(offset, v)))
        if group.sharing:  # one cell more points to its target
            target = conj(exists(["v1"], base.formula("v1")), source.at(offset, "v"))
            shared = UNKNOWN if group.shared in self.symbols.absent else at(group.shared, "v")
            crowded = disj(at(group.crowded, "v"), conj(target, shared))
            updates.append(Update(group.crowded, ("v",), crowded))
        focus = [base.formula("v"), source.at(offset), self.symbols.reach_focus(source, offset, edge)]
        if set(group.cells) <= self.symbols.shape.headers:  # it will be reached from there
            focus += self.symbols.reach_foci(lambda v: source.at(offset, v))
        self.context.step(f"{text} = {source.name}", updates, focus=focus)

    def clear_object(self, formula: Callable[[str], Formula], sizes: Iterable[int], text: str) -> None:
        """All pointer cells of an object of one of the sizes become NULL."""
        cells = {cell: place for place, cell in sorted(self.memory.cell_of.items()) if place[0] in sizes}
        for cell, place in cells.items():
            self.clear([Base(place, formula)], f"{text}: {cell}")

    def end_cells(self, formula: Callable[[str], Formula], sizes: Sequence[int], text: str) -> None:
        """The pointer cells of an object that ends."""
        if self.context.counts is not None:
            gone = self.context.counts.end(sizes, formula)
            if gone:
                self.context.step(f"count {text}", gone, focus=[formula("v")])
            names = {name for name in self.symbols.unaries if self.symbols.is_a(name, RoleKind.UNDEFINED_CELL)}
            self.context.settled = frozenset({edge for _, edge in self.symbols.edges} | names)
        self.clear_object(formula, sizes, text)
        self.context.settled = frozenset()

    # Overlapping writes -----------------------------------------------------------------------------------------

    def spoil(self, bases: Sequence[Base], size: int, *, integer: int | None = None) -> None:
        """A write of `size` bytes makes the values that it overlaps unknown: integers, and pointers at other places.

        `integer` is the size of the integer that is written, whose own cell is set by the caller.
        """
        updates: dict[str, Update] = {}
        for base in bases:
            for place in self.memory.overlapped_integers(base.place, size):
                if place == base.place and integer is not None:
                    continue
                for c in self.constants.of(place[1]):
                    name = self.symbols.integer_cell(place[1], c)
                    updates[name] = Update(name, ("v",), IfThenElse(base.formula("v"), UNKNOWN, at(name, "v")))
            for place in self.memory.overlapped_pointers(base.place, size):
                if place != base.place or integer is not None:
                    self.spoil_pointer(base.to(place))
        if updates:
            self.context.step("spoil integers", updates.values())

    def spoil_pointer(self, base: Base) -> None:
        if not self.symbols.precision.tracks_cell(self.memory.cell_of[base.place]):
            return
        self.clear([base], "overwritten")
        name = self.symbols.cell_undefined(self.memory.cell_of[base.place])
        maybe = conj(base.formula("v"), UNKNOWN)  # a null pointer stays one if zeros are written
        self.context.step("overwritten", [Update(name, ("v",), disj(at(name, "v"), maybe))])
