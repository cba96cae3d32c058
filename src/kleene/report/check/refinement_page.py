"""The rounds of a refinement for the page of a check: the error, the added predicates, the drawn sample heaps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from kleene.refine.loop import Refined
from kleene.refine.model import Task
from kleene.refine.naming import SourceNames
from kleene.refine.rounds import Round
from kleene.report.check.refinement_text import RoundWords, ending_lines, plain, round_words
from kleene.report.check.shape_words import for_drawing
from kleene.report.drawing.picture import DrawingOptions
from kleene.report.drawing.refinement_pictures import heap_structure
from kleene.report.drawing.svg import SvgPainter

_MOST_HEAPS = 5


@dataclass(frozen=True)
class SampleView:
    """A sample heap, where a run had it, and the shape graph that HeapToShape makes of it, if it makes one."""

    place: str
    heap: Markup
    shape: Markup | None


@dataclass(frozen=True)
class RoundView:
    """One round: its words, and the pictures of the heaps that were sampled in it."""

    words: RoundWords
    samples: tuple[SampleView, ...]


def round_views(refined: Refined | None) -> list[RoundView]:
    """All rounds of a refinement; empty without refinement."""
    if refined is None:
        return []
    names = SourceNames(refined.task)
    return [
        RoundView(round_words(refined.task, one), tuple(_samples(one, refined.task, names))) for one in refined.rounds
    ]


def _samples(one: Round, task: Task, names: SourceNames) -> Iterator[SampleView]:
    painter = SvgPainter(DrawingOptions(rotate=True, names=False))
    shapes = {id(node.heap): node.shape for node in one.sampled}
    samples = [look.samples for look in one.looks if look.samples is not None]
    for location, heap in (pair for own in samples for pair in own.usable[:_MOST_HEAPS]):
        own = {name: plain(known) for name, known in names.at(location).items()}
        shape = shapes.get(id(heap))
        drawn = painter.structure(for_drawing(shape, own)) if shape is not None and one.chosen else None
        places = [task.readable(edge).place for edge in task.cfa.leaving(location)]
        yield SampleView(
            f"{places[0].file}:{places[0].line}" if places else "",
            Markup(painter.structure(heap_structure(heap, own))),
            Markup(drawn) if drawn is not None else None,
        )


def ending(refined: Refined | None, fallback: str = "") -> Sequence[str]:
    """The end of the refinement, in lines; empty without refinement."""
    return [line.strip() for line in ending_lines(refined, fallback)] if refined is not None or fallback else []
