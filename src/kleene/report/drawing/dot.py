"""Structures and control-flow graphs as Graphviz DOT text.

The drawing conventions are those of thesis Appendix C.1 and TVLA 3: solid is 1, dotted is 1/2, red is 0; a
double dotted border is a summary node, green a maybe-active node; a box with an arrow is a `pointer`
predicate. Deviation: nullary predicates stand in one small box, not in a diamond each. Every drawn item
carries the classes of its predicates (`predicate_class`), so that a page can hide them.
"""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from kleene.logic.kleene import Kleene
from kleene.report.drawing.picture import DrawingOptions, EdgePicture, NodePicture, Picture, picture_of, value_label
from kleene.structures.structure import Structure

FALSE_COLOR = "#d23b3b"
MAYBE_ACTIVE_COLOR = "#2c9f4b"
FONT = "Helvetica,Arial,sans-serif"
MAX_LISTED_TUPLES = 60
_LABEL_WIDTH = 18
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def predicate_class(name: str) -> str:
    """A class name that stands for a predicate in DOT, SVG and HTML; different for different predicates."""
    return "p-" + re.sub(r"[^A-Za-z0-9]", lambda match: f"_{ord(match.group()):x}_", name)


def structure_dot(structure: Structure, options: DrawingOptions | None = None, *, title: str = "") -> str:
    """The DOT text of a structure."""
    options = options or DrawingOptions()
    picture = picture_of(structure, options)
    lines = _header(options.rotate, title, _tuples_text(picture))
    if not picture.nodes:
        lines.append('  empty [shape=plaintext, class="empty", label="(no nodes)"];')
    lines += [_node(number, node, options.names) for number, node in enumerate(picture.nodes)]
    lines += _pointers(picture)
    core = any(not edge.derived and edge.source != edge.target for edge in picture.edges)
    lines += [_edge(edge, lays_out=not (core and edge.derived)) for edge in picture.edges]
    if picture.nullary:
        lines.append(_nullary_box(picture.nullary))
    return "\n".join([*lines, "}"]) + "\n"


@dataclass(frozen=True)
class CfgDrawing:
    """Marks on locations of a control-flow graph: notes below the name, links, and highlights."""

    notes: Mapping[str, str]
    links: Mapping[str, str]
    flagged: Collection[str] = ()
    rotate: bool = False


def cfg_dot(
    entry: str, edges: Iterable[tuple[str, str, str]], drawing: CfgDrawing | None = None, *, title: str = ""
) -> str:
    """The DOT text of a graph of (source, action title, target) edges; parallel edges are merged."""
    drawing = drawing or CfgDrawing({}, {})
    merged: dict[tuple[str, str], list[str]] = {}
    for source, action, target in edges:
        merged.setdefault((source, target), []).append(action)
    locations = dict.fromkeys([entry, *(name for pair in merged for name in pair)])
    numbers = {name: number for number, name in enumerate(locations)}
    lines = [
        *_header(drawing.rotate, title, ()),
        '  start [shape=point, width=0.1, class="entry", label=""];',
    ]
    lines += [_location(number, name, drawing) for name, number in numbers.items()]
    lines.append(f"  start -> l{numbers[entry]};")
    for (source, target), actions in merged.items():
        label = "\n".join(f" {line} " for action in actions for line in textwrap.wrap(action, 40))
        lines.append(f"  l{numbers[source]} -> l{numbers[target]} [label={quote(label)}];")
    return "\n".join([*lines, "}"]) + "\n"


def xml_text(text: str) -> str:
    """The text without the control characters that XML cannot hold."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def quote(text: str) -> str:
    r"""A DOT string. As in TVLA, the two characters ``\n`` in a title are a line break."""
    clean = xml_text(text.replace("\\n", "\n"))
    for plain, escaped in (("&", "&amp;"), ("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n")):
        clean = clean.replace(plain, escaped)
    return f'"{clean}"'


def _header(rotate: bool, title: str, footer: Sequence[str]) -> list[str]:
    lines = [
        "digraph structure {",
        f"  graph [rankdir={'LR' if rotate else 'TB'}, nodesep=0.3, ranksep=0.35, pad=0.06];",
        f'  graph [bgcolor="transparent", fontname="{FONT}", fontsize=11];',
        f'  node [fontname="{FONT}", fontsize=12];',
        '  node [shape=ellipse, width=0.5, height=0.42, margin="0.09,0.05"];',
        f'  edge [fontname="{FONT}", fontsize=11, arrowsize=0.7];',
    ]
    if title:
        lines.append(f"  graph [tooltip={quote(title)}];")
    if footer:
        text = "".join(quote(line)[1:-1] + "\\l" for line in footer)
        lines.append(f'  graph [labelloc=b, labeljust=l, label="{text}"];')
    return lines


def _node(number: int, node: NodePicture, named: bool) -> str:
    classes, attributes = ["individual"], []
    if named:
        classes.append("named")
    if node.summary:
        classes.append("summary")
        attributes += ["peripheries=2", "style=dotted"]
    if node.maybe_active:
        classes.append("maybe-active")
        attributes += [f'color="{MAYBE_ACTIVE_COLOR}"', f'fontcolor="{MAYBE_ACTIVE_COLOR}"']
    rows = [node.name] if named else []
    rows += _pack([value_label(name, value) for name, value in node.labels])
    attributes += [f"label={quote(chr(10).join(rows))}", f'class="{" ".join(classes)}"']
    return f"  n{number} [{', '.join(attributes)}];"


def _pack(labels: Iterable[str]) -> list[str]:
    """Labels joined by commas, in lines that are not too long."""
    lines: list[str] = []
    for label in labels:
        if lines and len(lines[-1]) + len(label) + 2 <= _LABEL_WIDTH:
            lines[-1] += f", {label}"
        else:
            lines.append(label)
    return lines


def _pointers(picture: Picture) -> list[str]:
    """One box for each pointer predicate, however many nodes it may point to."""
    lines = []
    boxes: dict[str, str] = {}
    for pointer in picture.pointers:
        kind = predicate_class(pointer.predicate)
        if pointer.predicate not in boxes:
            boxes[pointer.predicate] = f"b{len(boxes)}"
            lines.append(
                f"  {boxes[pointer.predicate]} [shape=box, width=0.25, height=0.25, "
                f'label={quote(pointer.predicate)}, class="pointer k {kind}"];'
            )
        style = _value_style(pointer.value)
        lines.append(f'  {boxes[pointer.predicate]} -> n{pointer.node} [class="pointer k {kind}"{style}];')
    return lines


def _edge(edge: EdgePicture, *, lays_out: bool) -> str:
    classes = " ".join(["k", *map(predicate_class, edge.predicates)])
    label = "\n".join(f" {line} " for line in _pack(edge.predicates))  # blanks keep it off the line
    attributes = f'label={quote(label)}, class="{classes}"'
    attributes += _value_style(edge.value)
    if edge.both:
        attributes += ", dir=both"
    if not lays_out:
        attributes += ", constraint=false"
    return f"  n{edge.source} -> n{edge.target} [{attributes}];"


def _value_style(value: Kleene) -> str:
    if value is Kleene.UNKNOWN:
        return ", style=dotted"
    return f', color="{FALSE_COLOR}", fontcolor="{FALSE_COLOR}"' if value is Kleene.FALSE else ""


def _nullary_box(values: Iterable[tuple[str, Kleene]]) -> str:
    rows = []
    for name, value in values:
        text = html.escape(xml_text(value_label(name, value)))
        text = text.replace("\\", "&#92;")
        if value is Kleene.FALSE:
            text = f'<FONT COLOR="{FALSE_COLOR}">{text}</FONT>'
        rows.append(f'{text}<BR ALIGN="LEFT"/>')
    return f'  nullary [shape=note, fontsize=11, class="nullary", label=<{"".join(rows)}>];'


def _tuples_text(picture: Picture) -> list[str]:
    """The entries of predicates of arity 3 and more, in words; a long list is cut, with a note."""
    lines = [
        value_label(f"{name}({', '.join(picture.nodes[node].name for node in nodes)})", value)
        for name, nodes, value in picture.tuples
    ]
    if len(lines) > MAX_LISTED_TUPLES:
        lines[MAX_LISTED_TUPLES:] = [f"... and {len(lines) - MAX_LISTED_TUPLES} more"]
    return lines


def _location(number: int, name: str, drawing: CfgDrawing) -> str:
    note = drawing.notes.get(name, "")
    attributes = [f"label={quote(name + (chr(10) + note if note else ''))}", "shape=box", 'style="rounded"']
    classes = "location"
    if name in drawing.links:
        attributes.append(f"URL={quote(drawing.links[name])}")
    if name in drawing.flagged:
        attributes += [f'color="{FALSE_COLOR}"', "penwidth=1.6"]
        classes += " flagged"
    return f'  l{number} [{", ".join(attributes)}, class="{classes}"];'
