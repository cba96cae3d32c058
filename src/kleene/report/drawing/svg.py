"""SVG pictures, laid out by the Graphviz that comes inside the pygraphviz wheel (no system package needed).

The SVG can stand alone or be put inline into HTML: no prolog, no ids but prefixed ones, a size that shrinks
with its container, a title for screen readers, and the text colour of its surroundings (light or dark).
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
import threading
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from functools import lru_cache

from kleene.diagnostics import KleeneError
from kleene.report.drawing.dot import FALSE_COLOR, FONT, predicate_class, structure_dot, xml_text
from kleene.report.drawing.picture import DrawingOptions
from kleene.report.drawing.terminal import structure_line
from kleene.structures.structure import Structure

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_POINT = 4 / 3  # CSS pixels in a point
_BETWEEN_LABELS = re.compile(r", (?![^\[\]]*\])")
_layout_lock = threading.Lock()


class SvgPainter:
    """Draws structures and DOT texts; a repeated drawing is laid out once."""

    def __init__(self, options: DrawingOptions | None = None) -> None:
        self.options = options or DrawingOptions()
        self._drawn: dict[tuple[Structure, tuple[str, ...] | None], str] = {}

    def structure(self, structure: Structure) -> str:
        """The SVG of a structure; equal structures with equal node names share one drawing."""
        key = (structure, structure.names)
        if key not in self._drawn:
            text = structure_line(structure, self.options)
            self._drawn[key] = svg_of_dot(structure_dot(structure, self.options), label=text)
        return self._drawn[key]


def structure_svg(structure: Structure, options: DrawingOptions | None = None) -> str:
    """The SVG of one structure; what `Structure._repr_svg_` shows in a notebook."""
    return SvgPainter(options).structure(structure)


def svg_of_dot(dot: str, *, label: str = "", ids: str = "") -> str:
    """The picture of a DOT text. `label` is for those who cannot see it; `ids` prefixes ids that are kept."""
    try:
        root = ET.fromstring(laid_out(dot))
    except ET.ParseError as error:
        raise KleeneError(f"Graphviz drew a picture that is not well-formed: {error}") from error
    _clean(root, label, ids)
    return ET.tostring(root, encoding="unicode", short_empty_elements=True).strip() + "\n"


@lru_cache(maxsize=1024)
def laid_out(dot: str, form: str = "svg") -> str:
    """What Graphviz makes of a DOT text, as SVG or another of its forms."""
    try:
        import pygraphviz
    except ImportError as error:
        raise KleeneError("pictures need pygraphviz: install it with 'pip install pygraphviz'") from error
    complaints: list[str] = []
    try:
        with _layout_lock, _captured_stderr(complaints):
            graph = pygraphviz.AGraph(string=dot, encoding="UTF-8")
            drawn = graph.draw(format=form, prog="dot")
            graph.close()
    except Exception as error:  # pygraphviz raises many kinds
        detail = "; ".join([str(error), *complaints])
        raise KleeneError(f"Graphviz could not lay out a picture: {detail}") from error
    if not drawn:
        raise KleeneError("Graphviz could not lay out a picture: " + ("; ".join(complaints) or "no output"))
    return str(drawn, "utf-8")


@contextlib.contextmanager
def _captured_stderr(complaints: list[str]) -> Iterator[None]:
    """Keeps messages of the C library to file descriptor 2 (for instance font warnings) off the terminal."""
    try:
        sys.stderr.flush()
        saved = os.dup(2)
    except (OSError, AttributeError, ValueError):
        yield
        return
    with tempfile.TemporaryFile() as caught:
        os.dup2(caught.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(saved, 2)
            os.close(saved)
            caught.seek(0)
            text = caught.read().decode("utf-8", "replace")
            complaints += [line for line in text.splitlines() if line and "ontconfig" not in line]


# Cleaning what Graphviz writes --------------------------------------------------------------


def _clean(root: ET.Element, label: str, ids: str) -> None:
    ET.register_namespace("", _SVG)
    _size(root)
    _remove_background(root)
    for element in root.iter():
        _clean_attributes(element, ids)
    for group in root.iter(f"{{{_SVG}}}g"):
        _clean_group(group)
    if label:
        label = xml_text(label)
        title = ET.Element(f"{{{_SVG}}}title")
        title.text = label
        root.insert(0, title)
        root.set("aria-label", label)
    root.set("role", "img")
    root.set("font-family", FONT)
    root.set("font-size", "12")
    root.set("color", "currentColor")


def _size(root: ET.Element) -> None:
    """The natural size as an upper bound, so that the picture shrinks where there is less room."""
    width = float(root.get("width", "0").removesuffix("pt")) * _POINT
    for name in ("width", "height"):
        root.attrib.pop(name, None)
    root.set("class", "kleene-svg")
    root.set("width", f"{width:.0f}")
    root.set("style", "max-width:100%;height:auto")


def _remove_background(root: ET.Element) -> None:
    for group in root.iter(f"{{{_SVG}}}g"):
        for polygon in group.findall(f"{{{_SVG}}}polygon"):
            if group.get("class") == "graph" and polygon.get("stroke") in ("none", "transparent"):
                group.remove(polygon)


def _clean_attributes(element: ET.Element, ids: str) -> None:
    attributes = element.attrib
    for name in ("font-family", "{http://www.w3.org/XML/1998/namespace}space"):
        attributes.pop(name, None)
    if attributes.get("font-size") == "12.00":
        del attributes["font-size"]
    if "id" in attributes:
        if ids:
            attributes["id"] = f"{ids}-{attributes['id']}"
        else:
            del attributes["id"]
    for name in ("fill", "stroke"):
        if attributes.get(name) == "black":
            attributes[name] = "currentColor"
    if element.tag == f"{{{_SVG}}}text" and "fill" not in attributes:
        attributes["fill"] = "currentColor"
    if attributes.get("stroke-dasharray") == "1,5":
        attributes["stroke-dasharray"] = "1.8,2.8"
    for name in [name for name in attributes if name.startswith(f"{{{_XLINK}}}")]:
        value = attributes.pop(name)
        if name.endswith("}href"):
            attributes["href"] = value


def _clean_group(group: ET.Element) -> None:
    classes = group.get("class", "").split()
    for title in group.findall(f"{{{_SVG}}}title"):
        group.remove(title)
    if "location" in classes or "entry" in classes:
        return
    lines = group.findall(f"{{{_SVG}}}text")
    if "named" in classes and lines:
        lines[0].set("class", "node-name")
        lines[0].set("font-weight", "bold")
        lines = lines[1:]
    if "summary" in classes:
        _soften_inner_border(group)
    if "pointer" not in classes:
        for line in lines:
            _split_labels(line)


def _soften_inner_border(group: ET.Element) -> None:
    """Of the two borders of a summary node only the outer one stays dotted; that is easier to see."""
    for border in group.findall(f"{{{_SVG}}}ellipse")[:1]:
        border.attrib.pop("stroke-dasharray", None)


def _split_labels(line: ET.Element) -> None:
    """One tspan for each predicate of a line ``p, q = 1/2``, with its class, so that each can be hidden."""
    text = (line.text or "").strip()
    if not text:
        return
    line.text = None
    for number, piece in enumerate(_BETWEEN_LABELS.split(text)):
        if number:
            comma = ET.SubElement(line, f"{{{_SVG}}}tspan", {"class": "comma"})
            comma.text = ", "
        span = ET.SubElement(line, f"{{{_SVG}}}tspan", {"class": f"k {predicate_class(_predicate_of(piece))}"})
        span.text = piece
        if piece.endswith(" = 0"):
            span.set("fill", FALSE_COLOR)


def _predicate_of(piece: str) -> str:
    """The predicate of ``p``, ``p = 1/2`` or ``p(u0, u1, u2) = 1/2``."""
    name = re.sub(r" = (0|1/2)\Z", "", piece)
    return re.sub(r"\([^()]*\)\Z", "", name)
