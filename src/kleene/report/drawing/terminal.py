"""A compact drawing of a structure for the terminal; it needs nothing but text.

``x -> u0 {r[n,x]}   u1* {r[n,x]}`` then ``u0 .n.> u1*   u1* .n.> u1*``: ``*`` marks a summary node, ``?`` a
maybe-active one; ``-n->`` is the value 1, ``.n.>`` is 1/2, ``<-n->`` and ``<.n.>`` hold both ways.
"""

from __future__ import annotations

from collections.abc import Iterable

from kleene.logic.kleene import Kleene
from kleene.report.drawing.picture import DrawingOptions, EdgePicture, NodePicture, Picture, picture_of
from kleene.structures.structure import Structure

_GAP = "   "


def structure_text(
    structure: Structure, options: DrawingOptions | None = None, *, width: int = 100, indent: str = ""
) -> str:
    """A drawing in a few lines: nodes with pointers to them, then edges, then the rest."""
    picture = picture_of(structure, options)
    names = [_node_name(node) for node in picture.nodes]
    groups = (
        _nodes(picture, names),
        [_edge(edge, names) for edge in picture.edges],
        [_with_value(name, value) for name, value in picture.nullary],
        [
            _with_value(f"{name}({','.join(names[node] for node in nodes)})", value)
            for name, nodes, value in picture.tuples
        ],
    )
    lines = [line for group in groups for line in _wrap(group, width - len(indent))]
    return "\n".join(indent + line for line in lines)


def structure_line(structure: Structure, options: DrawingOptions | None = None) -> str:
    """The same on one line, without an end: for labels and logs."""
    return _GAP.join(structure_text(structure, options, width=10**9).split("\n"))


def _node_name(node: NodePicture) -> str:
    return node.name + ("*" if node.summary else "") + ("?" if node.maybe_active else "")


def _nodes(picture: Picture, names: list[str]) -> list[str]:
    if not picture.nodes:
        return ["(no nodes)"]
    items = []
    for number, node in enumerate(picture.nodes):
        here = [pointer for pointer in picture.pointers if pointer.node == number]
        surely = ", ".join(pointer.predicate for pointer in here if pointer.value is Kleene.TRUE)
        labels = ", ".join(_with_value(name, value) for name, value in node.labels)
        item = (f"{surely} -> " if surely else "") + names[number] + (f" {{{labels}}}" if labels else "")
        items.append(item)
        for value, arrow in ((Kleene.UNKNOWN, ".>"), (Kleene.FALSE, "-/->")):
            others = ", ".join(pointer.predicate for pointer in here if pointer.value is value)
            if others:
                items.append(f"{others} {arrow} {names[number]}")
    return items


def _edge(edge: EdgePicture, names: list[str]) -> str:
    line = "." if edge.value is Kleene.UNKNOWN else "-"
    label = ",".join(edge.predicates) + (" = 0" if edge.value is Kleene.FALSE else "")
    back = "<" if edge.both else ""
    return f"{names[edge.source]} {back}{line}{label}{line}> {names[edge.target]}"


def _with_value(text: str, value: Kleene) -> str:
    return text if value is Kleene.TRUE else f"{text}={value}"


def _wrap(items: Iterable[str], width: int) -> list[str]:
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + len(_GAP) + len(item) <= width:
            lines[-1] += _GAP + item
        else:
            lines.append(item)
    return lines
