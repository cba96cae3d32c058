"""Writing a report in the forms that were asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kleene.cli.files import write_output
from kleene.report.run.table import run_table, wants_color

if TYPE_CHECKING:
    from kleene.report.run.result import RunReport

FILES = ("json_file", "tvs_file", "dot_file", "html_file", "log_file", "transitions_tvs", "transitions_dot")
"""The options that name a file to write, or '-' for standard output."""


def write_report(report: RunReport, given: Mapping[str, Any]) -> None:
    """Write every output of the options; the summary table is printed on the terminal."""
    if given["json_file"]:
        from kleene.report.run.json import run_json_lines

        write_output(given["json_file"], run_json_lines(report))
    if given["tvs_file"]:
        write_output(given["tvs_file"], report_tvs(report, significant=given["significant"]))
    if given["dot_file"]:
        write_output(given["dot_file"], _dot(report, rotate=given["rotate"]))
    if report.transitions is not None:
        from kleene.report.run.transitions import transitions_dot, transitions_tvs

        if given["transitions_tvs"]:
            write_output(given["transitions_tvs"], transitions_tvs(report, report.transitions))
        if given["transitions_dot"]:
            write_output(given["transitions_dot"], transitions_dot(report, report.transitions))
    if given["svg_folder"]:
        _svg(report, Path(given["svg_folder"]), rotate=given["rotate"])
    if given["html_file"]:
        from kleene.report.run.page import html_report

        write_output(given["html_file"], html_report(report))
    details = _details(report, all_structures=given["verbose"])
    if given["log_file"]:
        write_output(given["log_file"], run_table(report) + details)
    elif not given["quiet"] and "-" not in [given[name] for name in FILES]:
        click.echo(run_table(report, color=wants_color(sys.stdout)) + details, nl=False)


def report_tvs(report: RunReport, *, significant: bool = False) -> Iterator[str]:
    """The structures and messages of every location that is shown, as TVLA writes them."""
    from kleene.structures.tvs_writer import TvsLocation, tvs_parts

    locations = [
        TvsLocation(
            location.name,
            location.structures,
            tuple((m.text, s) for m in location.messages for s in m.structures),
        )
        for location in report.locations
        if report.is_shown(location.name)
    ]
    return tvs_parts(locations, significant=significant)


def _dot(report: RunReport, *, rotate: bool) -> str:
    from kleene.report.drawing.dot import CfgDrawing, cfg_dot
    from kleene.report.drawing.picture import DrawingOptions
    from kleene.report.show import show_dot

    drawing = DrawingOptions(rotate=rotate)
    notes = {x.name: str(len(x.structures)) for x in report.locations}
    pages = [cfg_dot(report.entry, report.edges, CfgDrawing(notes, {}, rotate=drawing.rotate))]
    pages += [show_dot(x.structures, drawing) for x in report.locations if report.is_shown(x.name)]
    return "\n".join(pages)


def _svg(report: RunReport, folder: Path, *, rotate: bool) -> None:
    from kleene.report.drawing.picture import DrawingOptions
    from kleene.report.drawing.svg import SvgPainter

    folder.mkdir(parents=True, exist_ok=True)
    painter = SvgPainter(DrawingOptions(rotate=rotate))
    taken: set[str] = set()
    for location in report.locations:
        if report.is_shown(location.name):
            safe = "".join(c if c.isalnum() else "_" for c in location.name)
            while safe in taken:
                safe += "_"
            taken.add(safe)
            for number, structure in enumerate(location.structures, 1):
                (folder / f"{safe}-{number}.svg").write_text(painter.structure(structure), encoding="utf-8")


def _details(report: RunReport, *, all_structures: bool) -> str:
    """Every structure, if asked for, and the explanations."""
    if not (all_structures or report.answers or report.rules or report.explanations):
        return ""
    from kleene.report.drawing.terminal import structure_text
    from kleene.report.run.transitions import path_text

    lines = [""] if report.answers else []
    for given in report.answers:
        lines.append(f"{given.query}: {'holds' if given.holds else f'may fail: {path_text(given.path)}'}")
    lines += ["", "Rules and their dependencies", *report.rules] if report.rules else []
    if all_structures:
        for location in report.locations:
            for number, structure in enumerate(location.structures if report.is_shown(location.name) else (), 1):
                lines += ["", f"{location.name}, structure {number}", structure_text(structure, indent="  ")]
    for told in report.explanations:
        lines += ["", f"{told.location}: from {told.source} by '{told.action}'"]
        lines.append(structure_text(told.structure, indent="    "))
        for stage in told.stages:
            lines.append(f"  {stage.name}: {len(stage.structures)}")
            for structure, reason in stage.structures:
                lines.append(structure_text(structure, indent="    "))
                if reason:
                    lines.append(f"    discarded: {reason}")
    return "".join(f"{line}\n" for line in lines)
