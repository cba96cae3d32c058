"""Cells that refer to nodes which other cells keep alive: the edges of a graph that lead to its vertices.

A guess from types and stores. A reference leads from objects of one kind to nodes of another kind, which have lists or
trees of their own. No statement changes or frees such a list through it.
"""

from __future__ import annotations

from collections.abc import Iterator

from kleene.cfa.expressions import AddressOf, Deref, Expression, Field, Variable, walk, without_casts
from kleene.cfa.operations import Assign, Free, expressions
from kleene.passes.elements.slots import slot_sizes
from kleene.passes.facts.memory import Memory


def reference_cells(memory: Memory) -> frozenset[str]:
    """The cells that are references, as far as can be seen."""
    links = memory.links
    slots = slot_sizes(memory.program.records.values())
    with_links = {size for (size, _), cell in memory.cell_of.items() if cell in links} - slots
    of_slots = {cell for (size, _), cell in memory.cell_of.items() if size in slots}
    candidates = {
        cell
        for cell, targets in memory.cell_targets.items()
        if cell not in links | of_slots and targets and {size for size, _ in targets} <= with_links
    }
    return frozenset(candidates - set(_owning(memory, links))) if candidates else frozenset()


def _owning(memory: Memory, links: frozenset[str]) -> Iterator[str]:
    """Cells through which lists are changed or freed.

    Their address is taken, they get the value of a link, what they lead to is stored in a link or gets a new link, or
    the program frees it. What a cell leads to is followed along links and through variables.
    """
    labels = [edge.label for edge in memory.cfa.edges]
    assigned = [label for label in labels if isinstance(label, Assign)]
    through: dict[Variable, set[str]] = {}

    def cells_to(value: Expression) -> set[str]:
        value = without_casts(value)
        if isinstance(value, Variable):
            return through.get(value, set())
        cells = _member_cells(memory, value)
        return cells | (cells_to(_base(value)) if cells & links else set())

    changed = True
    while changed:
        changed = False
        for operation in assigned:
            if isinstance(operation.target, Variable):
                known = through.setdefault(operation.target, set())
                more = cells_to(operation.value) - known
                known |= more
                changed |= bool(more)
    for label in labels:
        for own in expressions(label):
            yield from (c for x in walk(own) if isinstance(x, AddressOf) for c in memory.cells_at(x.target))
        if isinstance(label, Free):
            yield from cells_to(label.pointer)
        elif isinstance(label, Assign):
            into, value = _member_cells(memory, label.target), without_casts(label.value)
            if into & links:
                yield from cells_to(value)
            if _member_cells(memory, value) & links:
                yield from into


def _member_cells(memory: Memory, lvalue: Expression) -> set[str]:
    is_member = isinstance(lvalue, Field) and isinstance(lvalue.base, Deref)
    return memory.cells_at(lvalue) if is_member else set()


def _base(member: Expression) -> Expression:
    """The pointer to the object of a member."""
    if isinstance(member, Field) and isinstance(member.base, Deref):
        return without_casts(member.base.pointer)
    return member
