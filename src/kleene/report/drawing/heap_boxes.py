"""The boxes of a concrete heap: blocks and variables with their contents, for pictures and films."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from kleene.cfa.program import CProgram
from kleene.cfa.types import PointerType, RecordType, Type
from kleene.domains.explicit.heap import Heap, HeapBlock
from kleene.semantics.contracts.programs import without_contract

_TARGET = re.compile(r"(#\d+|&[\w.$#]+)(?:\+(\d+))?")
_MOST_BLOCKS = 40
"""Blocks that are drawn: a picture with more cannot be read."""
_MOST_CELLS = 14
"""Members that are listed in one block, for the same reason."""


@dataclass(frozen=True)
class Box:
    """One block or variable: its cells as (name, value), and the names of its members by offset."""

    key: str
    title: str
    cells: tuple[tuple[str, str], ...]
    types: Mapping[str, Type]
    freed: bool = False
    lost: bool = False
    variable: bool = False
    depth: int = 0
    """The frame of a variable, from 1; 0 for globals and blocks."""
    offsets: Mapping[int, str] = field(default_factory=dict)

    @property
    def is_scalar(self) -> bool:
        """Whether it is a variable with one value."""
        return self.variable and len(self.cells) == 1 and self.cells[0][0] == ""


class BoxMaker:
    """Makes the boxes of the heaps of one run: blocks keep their numbers and types."""

    def __init__(self, program: CProgram) -> None:
        self.program = program
        self._numbers: dict[int, int] = {}
        self._types: dict[int, str] = {}

    def boxes(self, heap: Heap) -> list[Box]:
        """The variables, then the blocks."""
        for block in sorted(heap.blocks, key=lambda b: b.number):
            self._numbers.setdefault(block.number, len(self._numbers) + 1)
            if block.type:
                self._types[block.number] = block.type
        variables = _variables(heap, self.program)
        reached = _reachable_blocks(variables, heap)
        return variables + [self._block(block, reached) for block in heap.blocks[:_MOST_BLOCKS]]

    def _block(self, block: HeapBlock, reached: set[str]) -> Box:
        type_ = block.type or self._types.get(block.number, "")
        record = RecordType(type_) if type_ in self.program.records else None
        offsets, types = _fields(record, self.program)
        inner = {offset: name for name, offset in _scalars(record, self.program)}
        cells = tuple((_member(name, inner), value) for name, value in block.cells)
        lost = not block.freed and block.kind == "heap" and f"#{block.number}" not in reached
        title = f"{self._numbers[block.number]}: {type_ or f'{block.size} bytes'}"
        if block.label:
            title += f", {block.label.removeprefix('block from ')}"
        return Box(f"#{block.number}", title, cells, types, block.freed, lost, offsets=offsets)


def target_of(value: str) -> tuple[str, int] | None:
    """The key of the box that a value points to, and the offset in it."""
    match = _TARGET.fullmatch(value)
    return (match[1], int(match[2] or 0)) if match else None


def member_at(box: Box, offset: int) -> str:
    """The member at an offset, as ``.next``; empty for the start."""
    return f".{box.offsets.get(offset, f'+{offset}')}" if offset else ""


def has_lost_block(heap: Heap, program: CProgram) -> bool:
    """Whether some block is not freed and no variable leads to it."""
    reached = _reachable_blocks(_variables(heap, program), heap)
    return any(b.kind == "heap" and not b.freed and f"#{b.number}" not in reached for b in heap.blocks)


def content(box: Box, known: set[str]) -> list[str]:
    """The members that are no arrows to known boxes, as text."""
    rows = []
    for name, value in box.cells:
        target = target_of(value)
        if target is not None and target[0] in known:
            continue
        rows.append(f"{name}: {value_text(box, name, value)}" if name else value_text(box, name, value))
    if len(rows) > _MOST_CELLS:
        rows[_MOST_CELLS:] = [f"... and {len(rows) - _MOST_CELLS} more"]
    return rows


def value_text(box: Box, name: str, value: str) -> str:
    """The value of a member; null pointers are NULL."""
    return "NULL" if value == "0" and isinstance(box.types.get(name), PointerType) else value


def visible(heap: Heap) -> list[tuple[str, str, str]]:
    """The variables of the program, without temporaries."""
    return [v for v in heap.variables if not v[1].startswith("$")]


def _variables(heap: Heap, program: CProgram) -> list[Box]:
    boxes: dict[str, Box] = {}
    names = [name for _, name, _ in visible(heap)]
    depths = heap.depths or (0,) * len(heap.variables)
    for number, (depth, (function, name, value)) in enumerate(zip(depths, heap.variables, strict=True)):
        if name.startswith("$"):
            continue
        title = f"{without_contract(function)}: {name}" if names.count(name) > 1 and function else name
        type_ = _variable_type(program, function, name)
        cells = _split(value) if value.startswith("{") else (("", value),)
        offsets, types = _fields(type_, program)
        if not types and type_ is not None:
            types = {"": type_}
        key = f"&{name}" if f"&{name}" not in boxes else f"&{name}@{number}"
        title = title.partition("#")[0]
        boxes[key] = Box(key, title, cells, types, variable=True, depth=depth, offsets=offsets)
    return list(boxes.values())


def _member(name: str, offsets: Mapping[int, str]) -> str:
    """``next`` for ``+8``, if that is where it lies."""
    return offsets.get(int(name[1:]), name) if name.startswith("+") and name[1:].isdigit() else name


def _variable_type(program: CProgram, function: str, name: str) -> Type | None:
    if function and function in program.functions:
        owner = program.functions[function]
        return next((v.type for v in (*owner.parameters, *owner.locals) if v.name == name), None)
    return next((g.variable.type for g in program.globals if g.variable.name == name), None)


def _fields(type_: Type | None, program: CProgram) -> tuple[dict[int, str], dict[str, Type]]:
    """The members of a struct: names by offset, and types by name."""
    offsets: dict[int, str] = {}
    types: dict[str, Type] = {}

    def visit(record: Type, base: int, prefix: str) -> None:
        layout = program.records.get(record.name) if isinstance(record, RecordType) else None
        for member in layout.fields if layout else ():
            name = f"{prefix}.{member.name}" if prefix and member.name else prefix or member.name
            offsets.setdefault(base + member.offset, name)
            types[name] = member.type
            visit(member.type, base + member.offset, name)

    if type_ is not None:
        visit(type_, 0, "")
    return offsets, types


def _scalars(type_: Type | None, program: CProgram, base: int = 0, prefix: str = "") -> list[tuple[str, int]]:
    """The innermost members of a struct, with their offsets."""
    layout = program.records.get(type_.name) if isinstance(type_, RecordType) else None
    if layout is None:
        return [(prefix, base)] if prefix else []
    members = []
    for member in layout.fields:
        name = f"{prefix}.{member.name}" if prefix and member.name else prefix or member.name
        members += _scalars(member.type, program, base + member.offset, name)
    return members


def _split(value: str) -> tuple[tuple[str, str], ...]:
    parts = [part.partition(": ") for part in value[1:-1].split(", ")]
    return tuple((name, text) for name, _, text in parts if name)


def _reachable_blocks(variables: list[Box], heap: Heap) -> set[str]:
    """The blocks that variables lead to, through blocks that are not freed."""
    blocks = {f"#{b.number}": b for b in heap.blocks}
    values = [value for box in variables for _, value in box.cells]
    values += [value for _, name, value in heap.variables if name.startswith("$")]
    seen: set[str] = set()
    while values:
        target = target_of(values.pop())
        if target is not None and target[0] not in seen:
            seen.add(target[0])
            block = blocks.get(target[0])
            if block is not None and not block.freed:
                values += [value for _, value in block.cells]
    return seen
