"""Reports about a plain list of structures, for `kleene show x.tvs`: text, DOT, SVG or one HTML page."""

from __future__ import annotations

from collections.abc import Sequence

from kleene.report.drawing.dot import structure_dot
from kleene.report.drawing.picture import DrawingOptions
from kleene.report.drawing.svg import SvgPainter, structure_svg
from kleene.report.drawing.terminal import structure_text
from kleene.report.pages import DEFAULT_DRAWING, Album, caption_of, render
from kleene.structures.structure import Structure

__all__ = ["show_dot", "show_html", "show_svg", "show_text", "structure_svg"]


def show_text(structures: Sequence[Structure], options: DrawingOptions | None = None, *, width: int = 100) -> str:
    """Numbered drawings for the terminal."""
    blocks = []
    for number, structure in enumerate(structures, 1):
        nodes = f"{structure.size} node{'' if structure.size == 1 else 's'}"
        drawing = structure_text(structure, options, width=width, indent="  ")
        blocks.append(f"structure {number} ({nodes})\n{drawing}\n")
    return "\n".join(blocks)


def show_dot(structures: Sequence[Structure], options: DrawingOptions | None = None) -> str:
    """One digraph for each structure, as TVLA writes its pages; `dot` draws them one after the other."""
    return "\n".join(
        structure_dot(structure, options, title=f"structure {number}") for number, structure in enumerate(structures, 1)
    )


def show_svg(structures: Sequence[Structure], options: DrawingOptions | None = None) -> list[str]:
    """One SVG for each structure."""
    painter = SvgPainter(options)
    return [painter.structure(structure) for structure in structures]


def show_html(
    structures: Sequence[Structure],
    options: DrawingOptions | None = None,
    *,
    title: str = "structures",
    limit: int = 1000,
) -> str:
    """One self-contained page with at most `limit` drawings; it states how many are not drawn."""
    drawn = structures[:limit]
    album = Album(options or DEFAULT_DRAWING, drawn)
    figures = [album.figure(s, caption_of(s, number)) for number, s in enumerate(drawn, 1)]
    return render(
        "show.html.j2",
        album,
        title=title,
        count=len(structures),
        figures=figures,
        left_out=len(structures) - len(drawn),
    )
