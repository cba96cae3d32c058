"""The library of shape classes for people: text for `kleene shapes`, pictures, one page."""

from __future__ import annotations

from collections.abc import Sequence

from kleene.refine.classes.language import Entry
from kleene.report.drawing.picture import DrawingOptions
from kleene.report.drawing.refinement_pictures import example_structure
from kleene.report.drawing.svg import SvgPainter
from kleene.report.pages import Album, render

_DRAWING = DrawingOptions(rotate=True, names=False)


def shapes_text(entries: Sequence[Entry]) -> str:
    """One paragraph for each data structure, the refinement relation with it."""
    blocks = []
    for entry in entries:
        counts = ", ".join(f"{count} {role}" for role, count in entry.counts)
        above = f"; refines {', '.join(entry.refines)}" if entry.refines else ""
        lines = [f"{entry.name}: {entry.title}", f"    fields       {counts}{above}"]
        lines += [f"    invariant    {i.name}: {i.title}" for i in entry.invariants]
        for family in entry.families:
            needs = f" (needs {', '.join(family.needs)})" if family.needs else ""
            needs += f" (chosen with {', '.join(family.companions)})" if family.companions else ""
            lines.append(f"    family       {family.name}: {family.title}{needs}")
        blocks.append("\n".join(lines))
    return "\n".join(blocks) + "\n"


def shapes_svg(entries: Sequence[Entry]) -> dict[str, str]:
    """An example of each data structure, drawn under its most refined shape class."""
    painter = SvgPainter(_DRAWING)
    return {entry.name: painter.structure(example_structure(entry)) for entry in entries}


def shapes_html(entries: Sequence[Entry]) -> str:
    """One self-contained page."""
    structures = [example_structure(entry) for entry in entries]
    album = Album(_DRAWING, structures)
    figures = [album.figure(s, "its most refined shape class, blurred") for s in structures]
    return render("shapes.html.j2", album, title="Shape classes", entries=list(zip(entries, figures, strict=True)))
