"""The rounds of a refinement for the page of a check: what was wrong, what was added, the sample heaps drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from kleene.refine.loop import Refined
from kleene.report.picture import DrawingOptions
from kleene.report.refine_pictures import heap_structure
from kleene.report.refine_text import RoundWords, ending_lines, round_words
from kleene.report.svg import SvgPainter

_MOST_HEAPS = 5


@dataclass(frozen=True)
class RoundView:
    """One round: its words, and the pictures of the heaps that were sampled in it."""

    words: RoundWords
    heaps: tuple[Markup, ...]


def round_views(refined: Refined | None) -> list[RoundView]:
    """All rounds of a refinement; none if there was none."""
    if refined is None:
        return []
    painter = SvgPainter(DrawingOptions(rotate=True, names=False))
    found = []
    for one in refined.rounds:
        heaps = [heap for _, heap in one.samples.usable[:_MOST_HEAPS]] if one.samples is not None else []
        pictures = tuple(Markup(painter.structure(heap_structure(heap))) for heap in heaps)
        found.append(RoundView(round_words(refined.task, one), pictures))
    return found


def ending(refined: Refined | None, fallback: str = "") -> Sequence[str]:
    """How the refinement ended; nothing if there was none."""
    return [line.strip() for line in ending_lines(refined, fallback)] if refined is not None or fallback else []
