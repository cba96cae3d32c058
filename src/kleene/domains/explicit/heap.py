"""A picture of a state as plain data: the values of variables, and the blocks with their contents by name."""

from __future__ import annotations

from dataclasses import dataclass

from kleene.cfa.types import ArrayType, PointerType, RecordLayout, RecordType, Type
from kleene.domains.explicit.entry import HIDDEN
from kleene.domains.explicit.machine import Machine
from kleene.domains.explicit.memory import STREAM
from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import GARBAGE, Pointer, Undefined, Unknown, Value


@dataclass(frozen=True)
class HeapBlock:
    """A block: its number, its kind, whether it is freed, and its cells as (name or offset, value)."""

    number: int
    kind: str
    label: str
    size: int
    freed: bool
    type: str
    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Heap:
    """Variables as (function, name, value), innermost function last, and the blocks that are not variables."""

    variables: tuple[tuple[str, str, str], ...]
    blocks: tuple[HeapBlock, ...]
    frames: tuple[str, ...] = ()
    """The active functions, innermost last."""
    depths: tuple[int, ...] = ()
    """For each variable the number of its frame, from 1; 0 for globals."""

    def __str__(self) -> str:
        lines = [f"{function + '.' if function else ''}{name} = {value}" for function, name, value in self.variables]
        for block in self.blocks:
            freed = " (freed)" if block.freed else ""
            inner = ", ".join(f"{name}: {value}" for name, value in block.cells)
            lines.append(f"#{block.number} {block.type or block.kind}{freed} {{{inner}}}")
        return "\n".join(lines)


def draw_heap(machine: Machine, state: State) -> Heap:
    """The heap of a state. Blocks get their type from the pointers of the program that lead to them."""
    names: dict[int, str] = {number: name for name, number in machine.fixed.items()}
    types = {g.variable.name: g.variable.type for g in machine.program.globals}
    block_types: dict[int, Type] = {n: types[name] for name, n in machine.fixed.items()}
    owners: list[tuple[str, str, int, int]] = [("", name, number, 0) for name, number in machine.fixed.items()]
    for depth, frame in enumerate(state.frames, 1):
        function = machine.program.functions[frame.function]
        for variable in (*function.parameters, *function.locals):
            number = frame.locals.get(variable.name)
            if number is not None:
                block_types[number] = variable.type
                names[number] = variable.name
                owners.append((frame.function, variable.name, number, depth))
    names.update({n: "garbage" for n, block in state.blocks.items() if block.kind == GARBAGE})
    for text, string in machine.strings.items():
        names[string] = str(text)
    _spread_types(machine, state, block_types)
    pointed = {p.block for block in state.blocks.values() for p in block.pointers()}
    owners = [o for o in owners if state.blocks[o[2]].kind not in HIDDEN]
    rows = tuple((f, n, _summary(machine, state, b, block_types, names)) for f, n, b, _ in owners)
    blocks = tuple(
        HeapBlock(number, block.kind, block.label, block.size, not block.alive, str(block_types.get(number, "")),
                  _cells(machine, state, number, block_types, names))
        for number, block in state.blocks.items()
        if number not in names and (block.kind == "heap" or (block.kind in ("stack", STREAM) and number in pointed))
    )  # fmt: skip
    return Heap(rows, blocks, tuple(frame.function for frame in state.frames), tuple(o[3] for o in owners))


def _spread_types(machine: Machine, state: State, types: dict[int, Type]) -> None:
    """Give heap blocks the type that pointers to their start have, if it is as large as the block."""
    waiting = list(types)
    while waiting:
        number = waiting.pop()
        block = state.blocks.get(number)
        if block is None:
            continue
        for bit, type_ in _scalars(types[number], machine.program.records, 0):
            value = block.cells.get(bit, (0, 0))[1]
            if isinstance(value, Pointer) and isinstance(type_, PointerType) and value.block not in types:
                target = type_.target
                pointed = state.blocks.get(value.block)
                if value.offset == 0 and pointed is not None and target.size == pointed.size and pointed.kind == "heap":
                    types[value.block] = target
                    waiting.append(value.block)


def _scalars(type_: Type, records: dict[str, RecordLayout], bit: int) -> list[tuple[int, Type]]:
    if isinstance(type_, RecordType) and type_.name in records:
        fields = records[type_.name].fields
        return [s for f in fields for s in _scalars(f.type, records, bit + f.offset * 8 + f.bit_offset)]
    if isinstance(type_, ArrayType):
        width = type_.element.size * 8
        return [s for i in range(min(type_.count, 64)) for s in _scalars(type_.element, records, bit + i * width)]
    return [(bit, type_)]


def _field_names(
    type_: Type | None, records: dict[str, RecordLayout], bit: int = 0, prefix: str = ""
) -> dict[int, str]:
    if isinstance(type_, RecordType) and type_.name in records:
        field_names: dict[int, str] = {}
        for f in records[type_.name].fields:
            inner = f"{prefix}.{f.name}" if prefix and f.name else prefix or f.name
            place = bit + f.offset * 8 + f.bit_offset
            field_names = {**_field_names(f.type, records, place, inner), **field_names}
        return field_names
    if isinstance(type_, ArrayType):
        width = type_.element.size * 8
        parts = [
            _field_names(type_.element, records, bit + i * width, f"{prefix}[{i}]") for i in range(min(type_.count, 64))
        ]
        return {k: v for part in parts for k, v in part.items()}
    return {bit: prefix}


def _cells(
    machine: Machine, state: State, number: int, types: dict[int, Type], names: dict[int, str]
) -> tuple[tuple[str, str], ...]:
    block = state.blocks[number]
    fields = _field_names(types.get(number), machine.program.records)
    shown = []
    for bit in sorted(block.cells):
        label = fields.get(bit) or f"+{bit // 8}"
        shown.append((label, _text(machine, block.cells[bit][1], names)))
    return tuple(shown)


def _summary(machine: Machine, state: State, number: int, types: dict[int, Type], names: dict[int, str]) -> str:
    block = state.blocks[number]
    if block.kind in HIDDEN:
        return "?"
    if isinstance(types.get(number), RecordType | ArrayType):
        return "{" + ", ".join(f"{n}: {v}" for n, v in _cells(machine, state, number, types, names)) + "}"
    cell = block.cells.get(0)
    if cell is None:
        return "0" if block.zeroed else "undefined"
    return _text(machine, cell[1], names)


def _text(machine: Machine, value: Value, names: dict[int, str]) -> str:
    if isinstance(value, Pointer):
        name = f"&{names[value.block]}" if value.block in names else f"#{value.block}"
        return f"{name}+{value.offset}" if value.offset else name
    if isinstance(value, Unknown | Undefined):
        return str(value) if isinstance(value, Unknown) else "undefined"
    return str(value)
