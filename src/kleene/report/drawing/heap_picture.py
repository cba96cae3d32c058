"""One concrete heap as Graphviz DOT text: blocks, variables and pointers at one moment of a run.

A block is a rounded box with its type, the line that allocated it and its numbers; pointer members are edges with
their names, null ones are listed inside. Freed blocks are dashed and grey, unreachable blocks are red.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

from kleene.cfa.program import CProgram
from kleene.domains.explicit.heap import Heap
from kleene.report.drawing.dot import FALSE_COLOR, FONT, xml_text
from kleene.report.drawing.heap_boxes import Box, BoxMaker, content, member_at, target_of

FREED_COLOR = "#8a8f98"


def heap_dot(heap: Heap, program: CProgram) -> str:
    """The DOT text of a heap."""
    boxes = BoxMaker(program).boxes(heap)
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
    pointed = {target[0] for box in boxes for _, value in box.cells if (target := target_of(value))}
    plain = [box for box in boxes if box.is_scalar and content(box, known) and box.key not in pointed]
    if plain:
        lines.append(_plain_variables(plain, known))
    for box in boxes:
        if box in plain:
            continue
        lines.append(_node(box, names[box.key], known))
        for name, value in box.cells:
            target = target_of(value)
            if target is not None and target[0] in known:
                lines.append(_edge(box, name, target[1], names, by_key[target[0]]))
    return "\n".join([*lines, "}"]) + "\n"


def _plain_variables(boxes: Sequence[Box], known: set[str]) -> str:
    """All variables that point nowhere, in one box."""
    rows = [f'{_escape(f"{box.title}: {content(box, known)[0]}")}<BR ALIGN="LEFT"/>' for box in boxes]
    return f'  plain [shape=note, label=<{"".join(rows)}>, class="variable"];'


def _node(box: Box, name: str, known: set[str]) -> str:
    rows = content(box, known)
    color = FALSE_COLOR if box.lost else FREED_COLOR if box.freed else ""
    title = f"<B>{_escape(box.title)}</B>" if not box.variable else _escape(box.title)
    if box.is_scalar and rows:
        title, rows = f"{title}: {_escape(rows[0])}", []
    state = "freed" if box.freed else "lost: nothing points here" if box.lost else ""
    parts = [title, *([f"<I>{state}</I>"] if state else []), *map(_escape, rows)]
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


def _edge(box: Box, name: str, offset: int, names: dict[str, str], target: Box) -> str:
    inside = f" → {member_at(target, offset)}" if offset else ""
    color = FREED_COLOR if box.freed else FALSE_COLOR if target.freed else ""
    attributes = [f"label=<{_escape(f' {name}{inside} ')}>"] if name or inside else []
    if color:
        attributes += [f'color="{color}"', f'fontcolor="{color}"']
    if box.freed:
        attributes.append("style=dashed")
    return f"  {names[box.key]} -> {names[target.key]} [{', '.join(attributes)}];"


def _escape(text: str) -> str:
    return html.escape(xml_text(text)).replace("\\", "&#92;")
