"""Parts shared by the HTML pages: the template environment, the drawings of a page, and the legend.

A drawing that a page shows several times is stored once, as an SVG symbol, and referred to.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
from markupsafe import Markup

from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.report.drawing.dot import predicate_class
from kleene.report.drawing.picture import DrawingOptions, picture_of, predicates_in
from kleene.report.drawing.svg import SvgPainter
from kleene.structures.structure import Structure, StructureBuilder

DEFAULT_DRAWING = DrawingOptions(rotate=True)
_WIDTH = re.compile(r' width="(\d+)" style="max-width:100%;height:auto"')
_PREDICATE_CLASSES = re.compile(r" ?\bk(?: p-[A-Za-z0-9_]+)+")


@dataclass(frozen=True)
class Figure:
    """One drawing on a page; `reason` explains why the structure was discarded."""

    svg: Markup
    caption: str
    reason: str | None = None


@dataclass(frozen=True)
class ShownPredicate:
    """A predicate that the reader of a page can switch off."""

    name: str
    css: str
    kind: str
    instrumentation: bool


@dataclass(frozen=True)
class LegendItem:
    svg: Markup
    text: str


class Album:
    """The drawings of one page. All structures must be announced first, so that repeated ones are shared."""

    def __init__(self, options: DrawingOptions, announced: Iterable[Structure]) -> None:
        self._painter = SvgPainter(options)
        self._options = options
        self._uses = Counter((s, s.names) for s in announced)
        self._symbol_ids: dict[tuple[Structure, tuple[str, ...] | None], str] = {}
        self.symbols: list[Markup] = []

    def figure(self, structure: Structure, caption: str, reason: str | None = None) -> Figure:
        svg = _zoomable(self._painter.structure(structure))
        if self._uses[structure, structure.names] > 1:
            svg = self._reference(structure, svg)
        return Figure(Markup(svg), caption, reason)

    def predicates(self) -> list[ShownPredicate]:
        """All predicates drawn on the page, in order of declaration."""
        by_name: dict[str, Predicate] = {}
        drawn: set[str] = set()
        for structure, _ in self._uses:
            by_name.update((p.name, p) for p in structure.vocabulary)
            drawn |= predicates_in(picture_of(structure, self._options))
        return [_shown(p) for p in by_name.values() if p.name in drawn]

    def _reference(self, structure: Structure, svg: str) -> str:
        key = (structure, structure.names)
        start, content = svg.split(">", 1)
        if key not in self._symbol_ids:
            self._symbol_ids[key] = f"drawing-{len(self._symbol_ids)}"
            view = re.search(r'viewBox="[^"]*"', start)
            body = re.sub(r"\A\s*<title>.*?</title>", "", content, flags=re.DOTALL).rsplit("</svg>", 1)[0]
            opening = f'<symbol id="{self._symbol_ids[key]}" {view.group() if view else ""}>'
            self.symbols.append(Markup(f"{opening}{body}</symbol>"))
        return f'{start}><use href="#{self._symbol_ids[key]}"/></svg>'


def render(template: str, album: Album, **values: Any) -> str:
    """A page as text; the values are the variables of its template."""
    shared = {
        "symbols": album.symbols,
        "predicates": album.predicates(),
        "legend": legend(),
        "zoom": 80,
    }
    return _environment().get_template(template).render({**shared, **values})


def caption_of(structure: Structure, number: int | None = None) -> str:
    nodes = f"{structure.size} node{'' if structure.size == 1 else 's'}"
    return nodes if number is None else f"{number} · {nodes}"


def _shown(p: Predicate) -> ShownPredicate:
    kind = "pointer" if p.pointer else "instrumentation" if p.instrumentation else "core"
    return ShownPredicate(p.name, predicate_class(p.name), kind, p.instrumentation)


def _zoomable(svg: str) -> str:
    """The same picture with a width that follows the page's size control."""
    return _WIDTH.sub(r' style="width:calc(\1px*var(--zoom,1));max-width:100%;height:auto"', svg, count=1)


@cache
def _environment() -> jinja2.Environment:
    folder = files(__package__ or "kleene.report") / "templates"
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: (folder / name).read_text(encoding="utf-8")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


# The legend ---------------------------------------------------------------------------------

_Fact = tuple[str, tuple[int, ...], Kleene]
_T, _H, _F = Kleene.TRUE, Kleene.UNKNOWN, Kleene.FALSE
_LEGEND: Sequence[tuple[str, int, Sequence[_Fact]]] = (
    (
        "A node, with the unary predicates that hold for it. = 1/2 means: perhaps.",
        1,
        [("r", (0,), _T), ("s", (0,), _H)],
    ),
    ("A summary node stands for one or more memory cells.", 1, [("sm", (0,), _H)]),
    ("A pointer variable, and one that perhaps points here.", 1, [("x", (0,), _T), ("y", (0,), _H)]),
    ("A binary predicate that holds (1).", 2, [("n", (0, 1), _T)]),
    ("A binary predicate that perhaps holds (1/2).", 2, [("n", (0, 1), _H)]),
    ("A binary predicate with the same value both ways.", 2, [("d", (0, 1), _T), ("d", (1, 0), _T)]),
    ("A node that perhaps does not exist (maybe active).", 1, [("ac", (0,), _H)]),
    ("Nullary predicates; red is the value 0. Here the heap is empty.", 0, [("nn", (), _T), ("mm", (), _H)]),
)


@cache
def legend() -> tuple[LegendItem, ...]:
    """Samples of the drawing conventions, drawn by the code that draws the structures."""
    painter = SvgPainter(DEFAULT_DRAWING)
    items = []
    for text, size, facts in _LEGEND:
        builder = StructureBuilder(_legend_vocabulary(nullary=size == 0), size)
        for predicate, nodes, value in facts:
            builder.set(predicate, nodes, value)
        svg = _PREDICATE_CLASSES.sub("", painter.structure(builder.build()))
        items.append(LegendItem(Markup(svg), text))
    return tuple(items)


def _legend_vocabulary(*, nullary: bool) -> Vocabulary:
    unary = [Predicate(name, 1, pointer=name in "xy") for name in ("x", "y", "r", "s")]
    predicates = [*unary, Predicate("n", 2), Predicate("d", 2)]
    if nullary:
        predicates += [Predicate(name, 0, shown=frozenset((_T, _H, _F))) for name in ("nn", "mm", "ff")]
    return Vocabulary().extend(predicates)
