"""Cells that probably point backwards: a guess from names, types and stores, which the analysis tries first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kleene.cfa.expressions import Deref, Expression, Field, Variable, variables, without_casts
from kleene.cfa.graph import Edge
from kleene.cfa.operations import Assign, Operation
from kleene.cfa.program import CProgram
from kleene.cfa.types import ArrayType, PointerType, RecordType, Type, VoidType
from kleene.passes.facts.liveness import defined_variables
from kleene.passes.facts.memory import Memory
from kleene.passes.pointers.words.types import mask_of

_BACK = re.compile(r"prev|pred|back|parent|father|up$|^(p|prv|bk|blink|bwd)$", re.IGNORECASE)
MOST_STEPS_BETWEEN = 12
"""Locations between two stores that belong together: insertions into a list have at most ten operations."""
_WHOLE = re.compile(r"owner|head", re.IGNORECASE)
"""Names of cells that lead from a part to the whole, or the other way round, by their types."""


def is_called_back(cell: str) -> bool:
    """Whether the name of a cell says that it points against the structure."""
    return _BACK.search(cell) is not None


def back_cells(memory: Memory) -> frozenset[str]:
    """The cells that are called so, and from whose targets other members lead to where the cell is.

    A member `head` of a list leads to its nodes; one of the nodes leads back to the list. Where no name says it, two
    members that the program makes inverse to each other (``a->f = b; b->g = a``) are those of a doubly linked list.
    """
    names = {name for name in _members(memory.program) if _may_lead_back(name)}
    returning = {name for name in names if _returns(name, memory.program)}
    candidates = [c for c in memory.cell_targets if _may_lead_back(c)]
    called = frozenset(c for c in candidates if not names & set(c.split("|")) or returning & set(c.split("|")))
    return called | _inverse_cells(memory, called)


def _inverse_cells(memory: Memory, called: frozenset[str]) -> frozenset[str]:
    """Of two links that are inverse to each other the one that is followed less often, of more the common one."""
    partners: dict[str, set[str]] = {}
    for one, other in _inverse_pairs(memory, memory.links - called):
        partners.setdefault(one, set()).add(other)
        partners.setdefault(other, set()).add(one)
    places = {cell: min(p for p, own in memory.cell_of.items() if own == cell) for cell in partners}
    loads = _loads(memory)
    back: set[str] = set()
    for cell, others in partners.items():
        if any(partners[other] != {cell} for other in others):
            continue
        pair = (cell, *others) if len(others) == 1 else (cell,)
        back.add(min(pair, key=lambda c: (loads.get(c, 0), -places[c][1])))
    return frozenset(back)


def _inverse_pairs(memory: Memory, links: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Links of which one is stored soon after the other, in the opposite direction: ``a->f = b; b->g = a``."""
    stores = {id(edge): list(_store(memory, edge)) for edge in memory.cfa.edges}
    for edge in memory.cfa.edges:
        for cell, pointer, value in stores[id(edge)]:
            if (
                cell not in links
                or not isinstance(pointer, Variable | Field)
                or not isinstance(value, Variable | Field)
            ):
                continue
            read = {*variables(pointer), *variables(value)}
            waiting, steps = [edge.target], 0
            while waiting and steps < MOST_STEPS_BETWEEN:
                steps += 1
                for following in memory.cfa.leaving(waiting.pop(0)):
                    found = stores[id(following)]
                    yield from ((cell, c) for c, p, v in found if (p, v) == (value, pointer) and c in links - {cell})
                    if not read & set(defined_variables(following.label)) and (cell, pointer) not in {
                        s[:2] for s in found
                    }:
                        waiting.append(following.target)


def _store(memory: Memory, edge: Edge[Operation]) -> Iterator[tuple[str, Expression, Expression]]:
    """The store of a pointer in a member: the cell, the pointer to its object, and the value."""
    if isinstance(edge.label, Assign) and isinstance(edge.label.target, Field):
        target, value = edge.label.target, without_casts(edge.label.value)
        if isinstance(target.base, Deref) and isinstance(target.type, PointerType):
            for cell in memory.cells_at(target):
                yield cell, without_casts(target.base.pointer), value


def _loads(memory: Memory) -> dict[str, int]:
    """How often each cell is followed from a variable to a variable: a list is mostly walked along one of its cells."""
    counts: dict[str, int] = {}
    for edge in memory.cfa.edges:
        if isinstance(edge.label, Assign) and isinstance(edge.label.target, Variable):
            value = without_casts(edge.label.value)
            for cell in memory.cells_at(value) if isinstance(value, Field) else ():
                counts[cell] = counts.get(cell, 0) + 1
    return counts


def _may_lead_back(name: str) -> bool:
    return is_called_back(name) or _WHOLE.search(name) is not None


def _members(program: CProgram) -> list[str]:
    return [member.name for layout in program.records.values() for member in layout.fields]


def _returns(name: str, program: CProgram) -> bool:
    """Whether some member of that name points to a record from which other members lead back."""
    for owner, layout in program.records.items():
        for member in layout.fields:
            if member.name == name and isinstance(member.type, PointerType):
                starts = _records(member.type.target, program)
                anywhere = isinstance(member.type.target, VoidType) or mask_of(member.type) is not None
                if anywhere or owner in _reachable_records(starts, name, program):
                    return True
    return False


def _reachable_records(starts: set[str], without: str, program: CProgram) -> set[str]:
    """The records that members of other names lead to; from a part of a record also to the record around it."""
    reached: set[str] = set()
    waiting = list(starts)
    while waiting:
        record = waiting.pop()
        if record in reached or record not in program.records:
            continue
        reached.add(record)
        for member in program.records[record].fields:
            inner = member.type.target if isinstance(member.type, PointerType) else member.type
            if member.name != without or not isinstance(member.type, PointerType):
                waiting += _records(inner, program)
        waiting += [other for other, layout in program.records.items() if _has_part(layout.type, record, program)]
    return reached


def _has_part(whole: RecordType, part: str, program: CProgram) -> bool:
    layout = program.records.get(whole.name)
    return layout is not None and any(part in _records(m.type, program) for m in layout.fields)


def _records(type_: Type, program: CProgram) -> set[str]:
    """The record that a type is, or is an array of."""
    while isinstance(type_, ArrayType):
        type_ = type_.element
    return {type_.name} if isinstance(type_, RecordType) else set()
