"""Cells that probably point backwards: a guess from names and types, which the analysis tries first."""

from __future__ import annotations

import re

from kleene.cfa.program import CProgram
from kleene.cfa.types import ArrayType, PointerType, RecordType, Type, VoidType
from kleene.passes.facts.memory import Memory
from kleene.passes.pointers.words.types import mask_of

_BACK = re.compile(r"prev|pred|back|parent|father|up$|^(p|prv|bk|blink|bwd)$", re.IGNORECASE)
_WHOLE = re.compile(r"owner|head", re.IGNORECASE)
"""Names of cells that lead from a part to the whole, or the other way round, by their types."""


def is_called_back(cell: str) -> bool:
    """Whether the name of a cell says that it points against the structure."""
    return _BACK.search(cell) is not None


def back_cells(memory: Memory) -> frozenset[str]:
    """The cells that are called so, and from whose targets other members lead to where the cell is.

    A member `head` of a list leads to its nodes; one of the nodes leads back to the list.
    """
    names = {name for name in _members(memory.program) if _may_lead_back(name)}
    returning = {name for name in names if _returns(name, memory.program)}
    candidates = [c for c in memory.cell_targets if _may_lead_back(c)]
    return frozenset(c for c in candidates if not names & set(c.split("|")) or returning & set(c.split("|")))


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
