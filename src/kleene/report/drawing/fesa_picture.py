"""FESA states as pictures: the points-to graph with ghost nodes, as in the figures of the paper.

Variables are diamonds, heap nodes circles, and the ghost of a summary is a dotted circle beside it. An edge that exists
in all vectors is solid, one that exists in some is dashed.
"""

from __future__ import annotations

import html

from kleene.domains.fesa.flags import EDGE, EXISTS, GHOST, LOST, NOT_NULL, UNDEFINED, VARIABLE, Flag, Node
from kleene.domains.fesa.functions import Function
from kleene.domains.fesa.heap import flags_of
from kleene.domains.fesa.vectors import Vectors
from kleene.report.check.fesa_words import Cells, member, relations, short
from kleene.report.drawing.dot import FALSE_COLOR, FONT
from kleene.report.drawing.svg import svg_of_dot

_FREED = "#8a8f98"


def state_svg(vectors: Vectors, cells: Cells, chosen: Node | None = None) -> str:
    """The picture of a state; with the relations of a chosen node beside it."""
    label = "; ".join(str(f) for f in sorted(flags_of(vectors)) if f.kind == EDGE)
    return svg_of_dot(state_dot(vectors, cells, chosen), label=label or "an empty heap")


def state_dot(vectors: Vectors, cells: Cells, chosen: Node | None = None) -> str:
    """The DOT text of a state."""
    edges: list[Flag] = sorted(f for f in flags_of(vectors) if f.kind == EDGE)
    edges = [f for f in edges if f.source != LOST and f.target is not None]
    ends = {n for f in edges for n in (f.source, f.target) if n is not None}
    blocks = {f.source for f in flags_of(vectors) if f.kind == EXISTS}
    variables = {f.source for f in flags_of(vectors) if f.kind == NOT_NULL and f.source.kind == VARIABLE}
    nodes = sorted(ends | blocks | variables)
    names = {node: f"n{number}" for number, node in enumerate(nodes)}
    lines = [
        "digraph state {",
        "  graph [rankdir=LR, nodesep=0.3, ranksep=0.6, pad=0.06];",
        f'  graph [bgcolor="transparent", fontname="{FONT}", fontsize=11];',
        f'  node [fontname="{FONT}", fontsize=11, height=0.35, width=0.35, margin="0.05,0.03"];',
        f'  edge [fontname="{FONT}", fontsize=10, arrowsize=0.7];',
    ]
    lines += [f"  {names[node]} [{_node(vectors, node, cells)}];" for node in nodes]
    for flag in edges:
        assert flag.target is not None
        lines.append(f"  {names[flag.source]} -> {names[flag.target]} [{_edge(vectors, flag, cells)}];")
    if chosen is not None and chosen in names:
        lines += _note(vectors, chosen, names[chosen], cells)
    return "\n".join([*lines, "}"]) + "\n"


def _always(vectors: Vectors, flag: Flag) -> bool:
    return flag in vectors.dims and not _possible(vectors, ~vectors.flag(flag))


def _possible(vectors: Vectors, condition: Function) -> bool:
    return vectors.space.satisfiable(vectors.function & condition)


def _node(vectors: Vectors, node: Node, cells: Cells) -> str:
    if node == UNDEFINED:
        return f'shape=plaintext, label="not initialized", fontcolor="{FALSE_COLOR}"'
    if node.kind == VARIABLE:
        slots = {f.slot for f in flags_of(vectors) if f.source == node and f.kind == NOT_NULL}
        null = all(not _possible(vectors, vectors.flag(Flag(NOT_NULL, node, s))) for s in slots)
        text = f"{short(node)} = NULL" if null and slots else short(node)
        return f'shape=diamond, label="{_text(text)}"'
    if node.ghost:
        return f'shape=circle, style=dotted, label="{_text(short(node._replace(ghost=False)))}"'
    if not node.is_heap:
        return f'shape=box, label="{_text(short(node))}"'
    summary = Flag(GHOST, node) in vectors.dims
    style = "" if _always(vectors, Flag(EXISTS, node)) else ", style=dashed"
    gone = not _possible(vectors, vectors.flag(Flag(EXISTS, node)))
    color = f', color="{_FREED}", fontcolor="{_FREED}"' if gone else ""
    return f'shape={"doublecircle" if summary else "circle"}, label="{_text(short(node))}"{style}{color}'


def _edge(vectors: Vectors, flag: Flag, cells: Cells) -> str:
    plain = flag.source.kind == VARIABLE and flag.slot == 0
    label = "" if plain else member(flag.source, flag.slot, cells)
    label += f" +{flag.offset}" if flag.offset else ""
    style = "solid" if _always(vectors, flag) else "dashed"
    back = ", constraint=false" if flag.source.ghost else ""
    return f'label="{_text(label)}", style={style}{back}'


def _note(vectors: Vectors, chosen: Node, name: str, cells: Cells) -> list[str]:
    rows = "".join(f'<tr><td align="left">{html.escape(text)}</td></tr>' for text in relations(vectors, chosen, cells))
    table = (
        f'<table border="0" cellborder="0" cellspacing="1"><tr><td align="left"><b>{chosen}</b></td></tr>{rows}</table>'
    )
    return [
        f"  note [shape=note, fontsize=10, label=<{table}>];",
        f'  note -> {name} [style=dotted, arrowhead=none, color="{_FREED}"];',
    ]


def _text(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
