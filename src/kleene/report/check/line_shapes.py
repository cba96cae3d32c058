"""The shapes with which a program arrives at each line of its source, for a page on which lines can be chosen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from kleene.report.check.shape_words import for_drawing, live_predicates, shapes_shown_at, short_names_of, words_of
from kleene.results.shape import ShapeResult
from kleene.semantics.contracts.programs import contract_at, without_contract
from kleene.semantics.translate import Translation
from kleene.structures.structure import Structure
from kleene.structures.tvs_writer import structure_order

_MOST_SHAPES = 16
"""Shapes that are listed at one line; more are counted. A person compares a handful."""


@dataclass(frozen=True)
class LineShape:
    """One shape: the structure that is drawn, the same with derived predicates for the search, and its words."""

    drawn: Structure
    facts: Structure
    words: str


@dataclass(frozen=True)
class LineShapes:
    """The shapes before the first statement of a line, smallest first; `count` counts those that are left out, too."""

    file: str
    line: int
    function: str
    is_loop: bool
    shapes: tuple[LineShape, ...]
    count: int


def line_shapes(shape: ShapeResult, names: Mapping[str, Mapping[str, str]]) -> list[LineShapes]:
    """The lines that the analysis reached, in source order. `names` maps predicates to variables, by location."""
    if shape.reached is None or shape.translation is None:
        return []
    translation = shape.translation
    live = live_predicates(translation)
    heads = translation.cfa.loop_heads
    lines = []
    for (file, line), locations in sorted(_arrivals(translation).items()):
        shapes: dict[Structure, LineShape] = {}
        left_out = 0
        for location in locations:
            parts = shapes_shown_at(shape, location, live[location])
            left_out += max(0, len(parts) - _MOST_SHAPES)
            function = translation.places[location].function
            own = names.get(location, {})
            for structure, alive in parts[:_MOST_SHAPES]:
                short = short_names_of(structure, live[location], function, own)
                drawn = for_drawing(structure, short)
                if drawn not in shapes:
                    words = words_of(structure, alive, function, own, partial=shape.partial)
                    shapes[drawn] = LineShape(drawn, for_drawing(structure, short, derived=True), words)
        if shapes:
            kept = tuple(sorted(shapes.values(), key=lambda s: structure_order(s.drawn))[:_MOST_SHAPES])
            function = translation.places[locations[0]].function
            is_loop = any(location in heads for location in locations)
            lines.append(LineShapes(file, line, without_contract(function), is_loop, kept, len(shapes) + left_out))
    return lines


def merge_lines(lines: Iterable[LineShapes]) -> list[LineShapes]:
    """One entry for each line, in source order: the slices of a program have shapes of their own."""
    merged: dict[tuple[str, int], LineShapes] = {}
    for line in lines:
        known = merged.get((line.file, line.line))
        if known is not None:
            shapes = tuple(dict.fromkeys((*known.shapes, *line.shapes)))[:_MOST_SHAPES]
            is_loop, count = known.is_loop or line.is_loop, known.count + line.count
            line = replace(known, shapes=shapes, is_loop=is_loop, count=count)
        merged[line.file, line.line] = line
    return [merged[place] for place in sorted(merged)]


def _arrivals(translation: Translation) -> dict[tuple[str, int], list[str]]:
    """For each line the locations at which the program comes to it from another line."""
    places = translation.places
    before: dict[str, set[str]] = {}
    for edge in dict.fromkeys(translation.origins):
        if edge is not None:
            before.setdefault(edge.target, set()).add(edge.source)
    arrivals: dict[tuple[str, int], list[str]] = {}
    for location, place in places.items():
        if not place.line or contract_at(place.function)[0]:
            continue
        comes_from = [places.get(source) for source in before.get(location, ())]
        if not comes_from or any(p is None or (p.file, p.line) != (place.file, place.line) for p in comes_from):
            arrivals.setdefault((place.file, place.line), []).append(location)
    return arrivals
