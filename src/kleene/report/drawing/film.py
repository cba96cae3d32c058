"""The heaps of a run as a film: every block keeps its place from the first picture to the last.

Graphviz lays out one graph that has all blocks and all pointers of the run. A frame then says which of them there are
at one moment, what they contain, and what the last statement changed. The page draws the frames from this plain data.
Pointer variables are tags on the block that they point to, so that they move along a list as the program walks it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from kleene.cfa.program import CProgram
from kleene.domains.explicit.heap import Heap
from kleene.report.drawing.dot import FONT, quote
from kleene.report.drawing.heap_boxes import Box, BoxMaker, content, member_at, target_of, value_text
from kleene.report.drawing.svg import laid_out
from kleene.semantics.contracts.programs import without_contract

_CHARACTER = 6.7
"""Points in a character of the page's font, on average; a wide letter may touch the border."""
_LINE, _PADDING = 15.0, 9.0
"""Points in a line of a box, and around its text."""
_TAG = 14.0
"""Points around the name of a tag."""
_POINTS = 72.0
"""Points in an inch, the unit of sizes in DOT."""
_MOST_WEIGHT = 12
"""How much more a pointer of many frames pulls than one of a single frame."""

_Edge = tuple[str, str, str]
"""Source, label and target."""


class _Frame:
    """One heap, taken apart: the boxes to draw, the arrows between them, and the variables as tags and by name."""

    def __init__(self, heap: Heap, boxes: Sequence[Box]) -> None:
        self.frames = heap.frames
        self.boxes = {box.key: box for box in boxes}
        pointed = {target[0] for box in boxes for _, value in box.cells if (target := target_of(value))}
        self.drawn = {box.key: box for box in boxes if not box.is_scalar or box.key in pointed}
        known = set(self.drawn)
        self.rows = {key: content(box, known) for key, box in self.drawn.items()}
        self.edges: dict[_Edge, bool] = {}
        self.tags: list[tuple[str, str, bool]] = []
        for box in boxes:
            for name, value in box.cells:
                target = target_of(value)
                if target is None or target[0] not in known:
                    continue
                to = self.drawn[target[0]]
                inside = f" → {member_at(to, target[1])}" if target[1] else ""
                if box.key in known:
                    self.edges[box.key, f"{name}{inside}", to.key] = to.freed and not box.freed
                else:
                    self.tags.append((to.key, f"{box.title}{inside}", to.freed))
        self.known = known

    def variables(self) -> dict[tuple[int, str], str]:
        """The values of the variables by frame and name; one that is drawn says so."""
        values: dict[tuple[int, str], str] = {}
        for box in self.boxes.values():
            if not box.variable:
                continue
            name = box.title.rpartition(": ")[2]
            values[box.depth, name] = self._value(box)
        return values

    def _value(self, box: Box) -> str:
        if not box.is_scalar:
            return "{ … }"
        value = box.cells[0][1]
        target = target_of(value)
        if target is None:
            return value_text(box, "", value)
        to = self.drawn.get(target[0])
        if to is None:
            return value
        return f"→ {to.title.partition(',')[0]}{f' {member_at(to, target[1])}' if target[1] else ''}"


class Film:
    """The frames of one run and their common layout."""

    def __init__(self, program: CProgram) -> None:
        self._maker = BoxMaker(program)
        self._frames: list[_Frame] = []
        self._seen: list[object] = []

    def add(self, heap: Heap) -> int:
        """The number of the frame of a heap; the last one again where nothing changed."""
        frame = _Frame(heap, self._maker.boxes(heap))
        looks = (frame.rows, frame.edges, frame.tags, frame.variables(), frame.frames, _states(frame))
        if not self._seen or self._seen[-1] != looks:
            self._seen.append(looks)
            self._frames.append(frame)
        return len(self._frames) - 1

    def document(self) -> dict[str, Any]:
        """The film as plain data, for the page."""
        keys = {key: number for number, key in enumerate(dict.fromkeys(k for f in self._frames for k in f.drawn))}
        edges = {edge: n for n, edge in enumerate(dict.fromkeys(e for f in self._frames for e in f.edges))}
        size, boxes, routes = self._layout(keys, edges)
        before: list[_Frame | None] = [None, *self._frames[:-1]]
        return {
            "size": size,
            "boxes": boxes,
            "routes": routes,
            "frames": [_document(f, b, keys, edges) for f, b in zip(self._frames, before, strict=True)],
        }

    def _layout(self, keys: dict[str, int], edges: dict[_Edge, int]) -> tuple[Any, Any, Any]:
        lines = [
            "digraph film {",
            "  graph [rankdir=LR, nodesep=0.5, ranksep=0.45, pad=0.1];",
            '  node [shape=box, fixedsize=true, label=""];',
            f'  edge [fontname="{FONT}", fontsize=11, arrowsize=0.7];',
        ]
        for key, number in keys.items():
            width, height = self._extent(key)
            lines.append(f"  b{number} [width={width / _POINTS:.3f}, height={height / _POINTS:.3f}];")
        lives = Counter(edge for frame in self._frames for edge in frame.edges)
        for (source, label, target), number in edges.items():
            weight = 1 + _MOST_WEIGHT * lives[source, label, target] // len(self._frames)
            attributes = f'label={quote(f" {label} ")}, route="{number}", weight={weight}'
            lines.append(f"  b{keys[source]} -> b{keys[target]} [{attributes}];")
        graph = json.loads(laid_out("\n".join([*lines, "}"]), "json"))
        return _place(graph, len(keys), [(label, keys[source]) for source, label, _ in edges])

    def _extent(self, key: str) -> tuple[float, float]:
        """The room that a box needs in the frame where it needs most."""
        frames = [f for f in self._frames if key in f.drawn]
        texts = [text for f in frames for text in (f.drawn[key].title, _state(f.drawn[key]), *f.rows[key])]
        tags = [sum(len(text) * _CHARACTER + _TAG for to, text, _ in f.tags if to == key) for f in frames]
        width = max([len(text) * _CHARACTER for text in texts]) + 2 * _PADDING
        lines = max(1 + bool(_state(f.drawn[key])) + len(f.rows[key]) for f in frames)
        return max([width, *tags]), lines * _LINE + 2 * _PADDING


def _state(box: Box) -> str:
    return "freed" if box.freed else "lost: nothing points here" if box.lost else ""


def _states(frame: _Frame) -> dict[str, str]:
    return {key: _state(box) for key, box in frame.drawn.items()}


def _document(frame: _Frame, before: _Frame | None, keys: dict[str, int], edges: dict[_Edge, int]) -> dict[str, Any]:
    """One frame: boxes, edges, tags and the stack, each with a flag for what the last statement changed."""

    def box(key: str) -> list[Any]:
        b = frame.drawn[key]
        old = before.drawn.get(key) if before else None
        new = before is not None and (old is None or before.rows[key] != frame.rows[key] or _state(old) != _state(b))
        kind = "freed" if b.freed else "lost" if b.lost else "variable" if b.variable else "block"
        return [keys[key], kind, b.title, _state(b), frame.rows[key], int(new)]

    was = before.variables() if before else frame.variables()
    tags = before.tags if before else frame.tags
    values = frame.variables()
    names = ["globals", *map(without_contract, frame.frames)]
    stack = [
        [name, [[v, text, int(was.get((d, v)) != text)] for (d, v), text in values.items() if d == depth]]
        for depth, name in enumerate(names)
    ]
    return {
        "boxes": [box(key) for key in frame.drawn],
        "edges": [
            [edges[e], int(bad), int(before is not None and e not in before.edges)] for e, bad in frame.edges.items()
        ],
        "tags": [[keys[to], text, int(bad), int((to, text, bad) not in tags)] for to, text, bad in frame.tags],
        "stack": [part for part in stack if part[1] or part[0] != "globals"],
    }


def _place(
    graph: dict[str, Any], boxes: int, labels: Sequence[tuple[str, int]]
) -> tuple[list[int], list[list[int]], list[list[Any]]]:
    """The size of the picture, a rectangle for each box, and for each edge its path, the tip, the label and its place.

    `labels` has for each edge its label and the number of its source.
    """
    _, _, width, height = map(float, graph["bb"].split(","))
    rectangles: list[list[int]] = [[]] * boxes
    for item in graph.get("objects", ()):
        x, y = map(float, item["pos"].split(","))
        w, h = float(item["width"]) * _POINTS, float(item["height"]) * _POINTS
        rectangles[int(item["name"][1:])] = [round(x - w / 2), round(height - y - h / 2), round(w), round(h)]
    routes: list[list[Any]] = [[]] * len(labels)
    for item in graph.get("edges", ()):
        tip, *points = [[float(n) for n in part.removeprefix("e,").split(",")] for part in item["pos"].split(" ")]
        flat = [[round(x), round(height - y)] for x, y in points]
        path = f"M{_pair(flat[0])}C{' '.join(map(_pair, flat[1:]))}"
        x, y = map(float, item.get("lp", "0,0").split(","))
        end = [round(tip[0]), round(height - tip[1])]
        number = int(item["route"])
        routes[number] = [path, flat[-1], end, [round(x), round(height - y)], *labels[number]]
    return [round(width), round(height)], rectangles, routes


def _pair(point: Sequence[int]) -> str:
    return f"{point[0]},{point[1]}"
