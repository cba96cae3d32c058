"""Parts shared by the HTML pages: the template environment, the drawings of a page, and the legend.

A drawing that a page shows several times is stored once, as an SVG symbol, and referred to. What scripts need is on the
page as plain data. A page loads nothing and runs its own scripts only: its policy names them by their hash, so that a
name in the analysed program cannot become code.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
from markupsafe import Markup

from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import RESERVED, Predicate, Vocabulary
from kleene.report.drawing.dot import predicate_class, xml_text
from kleene.report.drawing.picture import DrawingOptions, picture_of, predicates_in
from kleene.report.drawing.svg import SvgPainter
from kleene.structures.structure import Structure, StructureBuilder

DEFAULT_DRAWING = DrawingOptions(rotate=True)
_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*")
_SCRIPTS = ("page.js", "formula.js", "film.js", "explorer.js")
_WIDTH = re.compile(r' width="(\d+)" style="max-width:100%;height:auto"')
_PREDICATE_CLASSES = re.compile(r" ?\bk(?: p-[A-Za-z0-9_]+)+")


@dataclass(frozen=True)
class Figure:
    """One drawing on a page; `reason` explains why the structure was discarded.

    `number` is that of the structure's facts on the page, if it can be searched and compared.
    """

    svg: Markup
    caption: str
    reason: str | None = None
    number: int | None = None


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
        self._numbers: dict[Structure, int] = {}
        self.facts: list[dict[str, Any]] = []
        """The facts of the structures that can be searched and compared."""
        self.arities: dict[str, int] = {}

    def figure(
        self, structure: Structure, caption: str, reason: str | None = None, *, facts: Structure | None = None
    ) -> Figure:
        """A drawing. `facts` is the structure to search and compare, if it has more predicates than are drawn."""
        svg = _zoomable(self._painter.structure(structure))
        if self._uses[structure, structure.names] > 1:
            svg = self._reference(structure, svg)
        return Figure(Markup(svg), caption, reason, self.number(facts or structure))

    def number(self, structure: Structure) -> int:
        """The number of a structure's facts on the page."""
        if structure not in self._numbers:
            self._numbers[structure] = len(self.facts)
            self.facts.append(_facts(structure))
            self.arities.update((p.name, p.arity) for p in structure.vocabulary)
        return self._numbers[structure]

    def symbol(self, structure: Structure) -> str:
        """The id of the drawing, which scripts refer to."""
        self._reference(structure, self._painter.structure(structure))
        return self._symbol_ids[structure, structure.names]

    def predicates(self) -> list[ShownPredicate]:
        """All predicates drawn on the page, in order of declaration."""
        by_name: dict[str, Predicate] = {}
        drawn: set[str] = set()
        for structure, _ in self._uses:
            by_name.update((p.name, p) for p in structure.vocabulary)
            drawn |= predicates_in(picture_of(structure, self._options))
        return [_shown_predicate(p) for p in by_name.values() if p.name in drawn]

    def _reference(self, structure: Structure, svg: str) -> str:
        key = (structure, structure.names)
        start, content = svg.split(">", 1)
        if key not in self._symbol_ids:
            self._symbol_ids[key] = f"drawing-{len(self._symbol_ids)}"
            view = re.search(r'viewBox="[^"]*"', start)
            body = re.sub(r"\A\s*<title>.*?</title>", "", content, flags=re.DOTALL).rsplit("</svg>", 1)[0]
            font = " ".join(re.findall(r'font-(?:family|size)="[^"]*"', start))
            opening = f'<symbol id="{self._symbol_ids[key]}" {view.group() if view else ""} {font}>'
            self.symbols.append(Markup(f"{opening}{body}</symbol>"))
        return f'{start}><use href="#{self._symbol_ids[key]}"/></svg>'


def render(template: str, album: Album, *, data: Mapping[str, Any] | None = None, **values: Any) -> str:
    """A page as text; the values are the variables of its template, `data` is what its scripts read."""
    script = "\n".join(_template_text(name) for name in _SCRIPTS)
    digest = base64.b64encode(hashlib.sha256(f"\n{script}".encode()).digest()).decode()
    shared = {
        "symbols": album.symbols,
        "predicates": album.predicates(),
        "legend": legend(),
        "zoom": 80,
        "data": _embed({"structures": album.facts, "arities": album.arities, **(data or {})}),
        "searchable": bool(album.facts),
        "example": _example(album.arities),
        "script": Markup(script),
        "digest": digest,
    }
    return _environment().get_template(template).render({**shared, **values})


def _example(arities: Mapping[str, int]) -> str:
    """The body of a formula with predicates of the page."""
    plain = [name for name in arities if name not in RESERVED and _PLAIN_NAME.fullmatch(name)]
    unary = next((name for name in plain if arities[name] == 1), "")
    binary = next((name for name in plain if arities[name] == 2), "")
    return " & ".join([*([f"{unary}(v)"] if unary else []), *([f"{binary}(v, w)"] if binary else [])]) or "v == w"


def _embed(data: Mapping[str, Any]) -> Markup:
    """JSON that can stand in a script element: nothing in it ends the element or opens another."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(xml_text(text))


def _facts(structure: Structure) -> dict[str, Any]:
    """A structure as the scripts read it: tuples with their values, 2 for 1 and 1 for 1/2."""
    predicates = {}
    for p in structure.vocabulary:
        rows = [[*nodes, 2 if value is Kleene.TRUE else 1] for nodes, value in structure.entries(p.name)]
        if rows and p.name != "ac":
            predicates[p.name] = rows
    return {
        "n": structure.size,
        "sm": [node for node in structure.nodes if structure.is_summary(node)],
        "ac": [node for node in structure.nodes if structure.is_maybe_active(node)],
        "p": predicates,
    }


def caption_of(structure: Structure, number: int | None = None) -> str:
    nodes = f"{structure.size} node{'' if structure.size == 1 else 's'}"
    return nodes if number is None else f"{number} · {nodes}"


def _shown_predicate(p: Predicate) -> ShownPredicate:
    kind = "pointer" if p.pointer else "instrumentation" if p.instrumentation else "core"
    return ShownPredicate(p.name, predicate_class(p.name), kind, p.instrumentation)


def _zoomable(svg: str) -> str:
    """The same picture with a width that follows the page's size control."""
    return _WIDTH.sub(r' style="width:calc(\1px*var(--zoom,1));max-width:100%;height:auto"', svg, count=1)


@cache
def _template_text(name: str) -> str:
    return (files(__package__ or "kleene.report") / "templates" / name).read_text(encoding="utf-8")


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(_template_text),
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
