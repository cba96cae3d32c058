"""The result of a run as one self-contained HTML page: no network, no external file, usable without scripts.

Explanations are laid out as in thesis Fig. 8: the input, then the results of focus, coerce, update, coerce and blur,
with discarded structures greyed and the reason beside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from kleene.report.drawing.dot import CfgDrawing, cfg_dot
from kleene.report.drawing.picture import DrawingOptions
from kleene.report.drawing.svg import svg_of_dot
from kleene.report.pages import DEFAULT_DRAWING, Album, Figure, caption_of, render
from kleene.report.run.result import Explanation, LocationReport, MessageReport, RunReport
from kleene.structures.structure import Structure
from kleene.structures.tvs_writer import structure_order


@dataclass(frozen=True)
class HtmlOptions:
    """Limits of drawings: per location (and stage), per message, on the whole page, and of the program."""

    drawing: DrawingOptions = DEFAULT_DRAWING
    structures_per_location: int = 200
    examples_per_message: int = 6
    structures_in_total: int = 800
    cfg_locations: int = 300


@dataclass(frozen=True)
class _Location:
    name: str
    anchor: str
    count: int
    max_nodes: int
    message_count: int
    shown: bool
    opened: bool
    figures: list[Figure]
    left_out: int


@dataclass(frozen=True)
class _Message:
    text: str
    count: int
    definite: bool
    location: str
    anchor: str
    action: str
    position: str
    figures: list[Figure]
    left_out: int


@dataclass(frozen=True)
class _Stage:
    name: str
    figures: list[Figure]
    left_out: int


@dataclass(frozen=True)
class _Explanation:
    source: str
    location: str
    action: str
    stages: list[_Stage]


def html_report(report: RunReport, options: HtmlOptions | None = None) -> str:
    """The page. Structures of a location are drawn smallest first; the page states how many are not drawn."""
    return _Page(report, options or HtmlOptions()).text()


class _Page:
    def __init__(self, report: RunReport, options: HtmlOptions) -> None:
        self.report = report
        self.options = options
        self.anchors = {location.name: f"location-{i}" for i, location in enumerate(report.locations)}
        self.drawn = self._choose()
        self.album = Album(options.drawing, self._announced_structures())

    def _choose(self) -> dict[str, list[Structure]]:
        """The structures drawn at each location, within the limits per location and in total."""
        room = self.options.structures_in_total
        drawn: dict[str, list[Structure]] = {}
        for location in self.report.locations:
            limit = min(room, self.options.structures_per_location)
            chosen = sorted(location.structures, key=structure_order)[:limit]
            drawn[location.name] = chosen if self.report.is_shown(location.name) else []
            room -= len(drawn[location.name])
        return drawn

    def _announced_structures(self) -> Iterator[Structure]:
        for structures in self.drawn.values():
            yield from structures
        for message in self.report.messages:
            yield from message.structures[: self.options.examples_per_message]
        for explanation in self.report.explanations:
            yield explanation.structure
            for stage in explanation.stages:
                for structure, _ in stage.structures[: self.options.structures_per_location]:
                    yield structure

    def text(self) -> str:
        report = self.report
        locations = [self._location(location) for location in report.locations]
        messages = [self._message(message) for message in report.messages]
        explanations = [self._explanation(explanation) for explanation in report.explanations]
        return render(
            "run.html.j2",
            self.album,
            title=f"{report.program}: {report.verdict}",
            report=report,
            totals=totals(report),
            locations=locations,
            messages=messages,
            explanations=explanations,
            cfg=self._cfg(),
            cfg_limit=self.options.cfg_locations,
        )

    def _location(self, location: LocationReport) -> _Location:
        drawn = self.drawn[location.name]
        shown = self.report.is_shown(location.name)
        few = sum(map(len, self.drawn.values())) <= 200
        return _Location(
            location.name,
            self.anchors[location.name],
            len(location.structures),
            location.max_nodes,
            location.message_count,
            shown,
            shown and bool(drawn) and (few or bool(self.report.shown_locations)),
            [self.album.figure(s, caption_of(s, number)) for number, s in enumerate(drawn, 1)],
            len(location.structures) - len(drawn) if shown else 0,
        )

    def _message(self, message: MessageReport) -> _Message:
        examples = message.structures[: self.options.examples_per_message]
        return _Message(
            message.text,
            message.count,
            message.definite,
            message.location,
            self.anchors.get(message.location, "locations"),
            message.action,
            str(message.position or ""),
            [self.album.figure(s, caption_of(s)) for s in examples],
            len(message.structures) - len(examples),
        )

    def _explanation(self, explanation: Explanation) -> _Explanation:
        stages = [_Stage("in", [self.album.figure(explanation.structure, f"at {explanation.source}")], 0)]
        for stage in explanation.stages:
            kept: Sequence[tuple[Structure, str | None]] = stage.structures
            kept = kept[: self.options.structures_per_location]
            figures = [self.album.figure(s, caption_of(s), reason) for s, reason in kept]
            stages.append(_Stage(stage.name, figures, len(stage.structures) - len(kept)))
        return _Explanation(explanation.source, explanation.location, explanation.action, stages)

    def _cfg(self) -> Markup | None:
        report = self.report
        names = {report.entry, *(name for source, _, target in report.edges for name in (source, target))}
        if len(names) > self.options.cfg_locations:
            return None
        notes = {location.name: _note(location) for location in report.locations}
        links = {name: f"#{anchor}" for name, anchor in self.anchors.items()}
        flagged = [location.name for location in report.locations if location.messages]
        dot = cfg_dot(report.entry, report.edges, CfgDrawing(notes, links, flagged))
        return Markup(svg_of_dot(dot, label=f"Control-flow graph of {report.program}", ids="cfg"))


def _note(location: LocationReport) -> str:
    count = len(location.structures)
    text = f"{count:,} structure{'' if count == 1 else 's'}"
    messages = location.message_count
    return text + (f", {messages:,} message{'' if messages == 1 else 's'}" if messages else "")


def totals(report: RunReport) -> list[tuple[str, str]]:
    """The numbers at the head of a report, with their names."""
    counts = report.statistics
    shown = [
        ("structures stored", f"{counts.stored:,}"),
        ("structures generated", f"{counts.generated:,}"),
        ("messages", f"{counts.messages:,}"),
        ("largest structure", f"{counts.max_nodes:,} nodes"),
        ("iterations", f"{counts.iterations:,}"),
        ("constraints", f"{counts.constraints:,}"),
        ("discarded", f"{counts.discarded:,}"),
        ("time", f"{report.total_seconds:.2f} s"),
    ]
    if counts.peak_memory_bytes:
        shown.append(("peak memory", f"{counts.peak_memory_bytes / 2**20:,.0f} MiB"))
    return shown
