"""Concrete heaps as Graphviz DOT text: blocks, variables and pointers at one moment of a run.

A block is a rounded box with its type, the line that allocated it and its numbers; pointer members are edges with
their names, null ones are listed inside. Freed blocks are dashed and grey, unreachable blocks are red, and changes by
the last statement have the colour of links.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kleene.cfa.program import CProgram
from kleene.cfa.types import PointerType, RecordType, Type
from kleene.domains.explicit.heap import Heap, HeapBlock
from kleene.report.drawing.dot import FALSE_COLOR, FONT, xml_text
from kleene.semantics.contracts.programs import without_contract

CHANGED_COLOR = "#2357b8"
FREED_COLOR = "#8a8f98"
_TARGET = re.compile(r"(#\d+|&[\w.$#]+)(?:\+(\d+))?")
_MOST_BLOCKS = 40
_MOST_CELLS = 14


@dataclass(frozen=True)
class _Box:
    """The drawing of one block or variable."""

    key: str
    title: str
    cells: tuple[tuple[str, str], ...]
    types: dict[str, Type]
    freed: bool = False
    lost: bool = False
    variable: bool = False
    offsets: dict[int, str] | None = None


class Film:
    """The heaps of one run, one picture after the other: blocks keep their numbers and types, changes stand out."""

    def __init__(self, program: CProgram) -> None:
        self.program = program
        self.numbers: dict[int, int] = {}
        self.types: dict[int, str] = {}
        self._previous: Heap | None = None
        self._boxes: dict[str, _Box] | None = None

    def changes(self, heap: Heap) -> bool:
        """Whether the heap looks different from the last one; temporaries do not count."""
        last = self._previous
        return last is None or _visible(last) != _visible(heap) or last.blocks != heap.blocks

    def picture(self, heap: Heap) -> str:
        """The DOT text of the next heap."""
        for block in sorted(heap.blocks, key=lambda b: b.number):
            self.numbers.setdefault(block.number, len(self.numbers) + 1)
            if block.type:
                self.types[block.number] = block.type
        boxes = self._all_boxes(heap)
        dot = _dot(boxes, self._boxes)
        self._previous, self._boxes = heap, {box.key: box for box in boxes}
        return dot

    def _all_boxes(self, heap: Heap) -> list[_Box]:
        variables = _variables(heap, self.program)
        reached = _reached(variables, heap)
        return variables + [self._block(block, reached) for block in heap.blocks[:_MOST_BLOCKS]]

    def _block(self, block: HeapBlock, reached: set[str]) -> _Box:
        type_ = block.type or self.types.get(block.number, "")
        record = RecordType(type_) if type_ in self.program.records else None
        offsets, types = _fields(record, self.program)
        inner = {offset: name for name, offset in _scalars(record, self.program)}
        cells = tuple((_member(name, inner), value) for name, value in block.cells)
        lost = not block.freed and block.kind == "heap" and f"#{block.number}" not in reached
        title = f"{self.numbers[block.number]}: {type_ or f'{block.size} bytes'}"
        if block.label:
            title += f", {block.label.removeprefix('block from ')}"
        return _Box(f"#{block.number}", title, cells, types, block.freed, lost, offsets=offsets)


def has_lost_block(heap: Heap, program: CProgram) -> bool:
    """Whether some block is not freed and no variable leads to it."""
    reached = _reached(_variables(heap, program), heap)
    return any(b.kind == "heap" and not b.freed and f"#{b.number}" not in reached for b in heap.blocks)


def _dot(boxes: list[_Box], old: dict[str, _Box] | None) -> str:
    known = {box.key for box in boxes}
    lines = [
        "digraph heap {",
        "  graph [rankdir=LR, nodesep=0.25, ranksep=0.5, pad=0.06];",
        f'  graph [bgcolor="transparent", fontname="{FONT}", fontsize=11];',
        f'  node [fontname="{FONT}", fontsize=11, shape=box, margin="0.08,0.05", height=0.3];',
        f'  edge [fontname="{FONT}", fontsize=10, arrowsize=0.7];',
    ]
    names = {box.key: f"n{number}" for number, box in enumerate(boxes)}
    by_key = {box.key: box for box in boxes}
    pointed = {target[1] for box in boxes for _, value in box.cells if (target := _TARGET.fullmatch(value))}
    plain = [box for box in boxes if _is_plain(box, known) and box.key not in pointed]
    if plain:
        lines.append(_plain_variables(plain, known, old))
    for box in boxes:
        if box in plain:
            continue
        lines.append(_node(box, names[box.key], known, old))
        for name, value in box.cells:
            target = _TARGET.fullmatch(value)
            if target and target[1] in known:
                lines.append(_edge(box, name, value, names, by_key[target[1]], old))
    return "\n".join([*lines, "}"]) + "\n"


def _is_plain(box: _Box, known: set[str]) -> bool:
    """A variable that is no struct and does not point anywhere."""
    return box.variable and len(_content(box, known)) == 1 == len(box.cells) and box.cells[0][0] == ""


def _plain_variables(boxes: Sequence[_Box], known: set[str], old: dict[str, _Box] | None) -> str:
    """All of them in one box."""
    rows = []
    for box in boxes:
        text = _escaped(f"{box.title}: {_content(box, known)[0]}")
        was = old.get(box.key) if old is not None else None
        if old is not None and (was is None or was.cells != box.cells):
            text = f'<FONT COLOR="{CHANGED_COLOR}">{text}</FONT>'
        rows.append(f'{text}<BR ALIGN="LEFT"/>')
    return f'  plain [shape=note, label=<{"".join(rows)}>, class="variable"];'


def _visible(heap: Heap) -> list[tuple[str, str, str]]:
    return [v for v in heap.variables if not v[1].startswith("$")]


def _variables(heap: Heap, program: CProgram) -> list[_Box]:
    by_key: dict[str, _Box] = {}
    doubled = _doubled([name for _, name, _ in _visible(heap)])
    for depth, (function, name, value) in enumerate(_visible(heap)):
        shown = f"{without_contract(function)}: {name}" if name in doubled and function else name
        type_ = _variable_type(program, function, name)
        cells = _split(value) if value.startswith("{") else (("", value),)
        offsets, types = _fields(type_, program)
        if not types and type_ is not None:
            types = {"": type_}
        key = f"&{name}" if f"&{name}" not in by_key else f"&{name}@{depth}"
        by_key[key] = _Box(key, shown.partition("#")[0], cells, types, variable=True, offsets=offsets)
    return list(by_key.values())


def _member(name: str, offsets: Mapping[int, str]) -> str:
    """``next`` for ``+8``, if that is where it lies."""
    return offsets.get(int(name[1:]), name) if name.startswith("+") and name[1:].isdigit() else name


def _doubled(names: list[str]) -> set[str]:
    return {name for name in names if names.count(name) > 1}


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
    scalars = []
    for member in layout.fields:
        name = f"{prefix}.{member.name}" if prefix and member.name else prefix or member.name
        scalars += _scalars(member.type, program, base + member.offset, name)
    return scalars


def _split(value: str) -> tuple[tuple[str, str], ...]:
    parts = [part.partition(": ") for part in value[1:-1].split(", ")]
    return tuple((name, content) for name, _, content in parts if name)


def _reached(variables: list[_Box], heap: Heap) -> set[str]:
    """The blocks that variables lead to, through blocks that are not freed."""
    blocks = {f"#{b.number}": b for b in heap.blocks}
    values = [value for box in variables for _, value in box.cells]
    values += [value for _, name, value in heap.variables if name.startswith("$")]
    seen: set[str] = set()
    while values:
        target = _TARGET.fullmatch(values.pop())
        if target and target[1] not in seen:
            seen.add(target[1])
            block = blocks.get(target[1])
            if block is not None and not block.freed:
                values += [value for _, value in block.cells]
    return seen


def _content(box: _Box, known: set[str]) -> list[str]:
    """The members that are no arrows, as text."""
    rows = []
    for name, value in box.cells:
        target = _TARGET.fullmatch(value)
        if target and target[1] in known:
            continue
        if value == "0" and isinstance(box.types.get(name), PointerType):
            value = "NULL"
        rows.append(f"{name}: {value}" if name else value)
    if len(rows) > _MOST_CELLS:
        rows[_MOST_CELLS:] = [f"... and {len(rows) - _MOST_CELLS} more"]
    return rows


def _node(box: _Box, name: str, known: set[str], old: dict[str, _Box] | None) -> str:
    rows = _content(box, known)
    was = old.get(box.key) if old is not None else None
    changed = old is not None and (was is None or _content(was, known) != rows or was.freed != box.freed)
    color = FALSE_COLOR if box.lost else FREED_COLOR if box.freed else CHANGED_COLOR if changed else ""
    title = f"<B>{_escaped(box.title)}</B>" if not box.variable else _escaped(box.title)
    if box.variable and rows and len(box.cells) == 1 and box.cells[0][0] == "":
        title, rows = f"{title}: {_escaped(rows[0])}", []
    state = "freed" if box.freed else "lost: nothing points here" if box.lost else ""
    parts = [title, *([f"<I>{state}</I>"] if state else []), *map(_escaped, rows)]
    attributes = [f"label=<{'<BR/>'.join(parts)}>"]
    style = [] if box.variable else ["rounded"]
    if box.freed:
        style.append("dashed")
    if style:
        attributes.append(f'style="{",".join(style)}"')
    if color:
        attributes += [f'color="{color}"', f'fontcolor="{color}"']
    kind = "variable" if box.variable else "block"
    return f'  {name} [{", ".join(attributes)}, class="{kind}"];'


def _edge(box: _Box, name: str, value: str, names: dict[str, str], target: _Box, old: dict[str, _Box] | None) -> str:
    _, _, offset = value.partition("+")
    inside = f" → .{(target.offsets or {}).get(int(offset), '+' + offset)}" if offset else ""
    was = old.get(box.key) if old is not None else None
    changed = old is not None and (was is None or dict(was.cells).get(name) != value)
    color = FREED_COLOR if box.freed or target.freed else CHANGED_COLOR if changed else ""
    if target.freed and not box.freed:
        color = FALSE_COLOR
    attributes = [f"label=<{_escaped(f' {name}{inside} ')}>"] if name or inside else []
    if color:
        attributes += [f'color="{color}"', f'fontcolor="{color}"']
    if box.freed:
        attributes.append("style=dashed")
    return f"  {names[box.key]} -> {names[target.key]} [{', '.join(attributes)}];"


def _escaped(text: str) -> str:
    return html.escape(xml_text(text)).replace("\\", "&#92;")
