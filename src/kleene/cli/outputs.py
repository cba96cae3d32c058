"""Writing a report in the forms that were asked for."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from kleene.cli.files import write_output
from kleene.report.dot import CfgDrawing, cfg_dot
from kleene.report.json_report import run_json
from kleene.report.picture import DrawingOptions
from kleene.report.result import RunReport
from kleene.report.show import show_dot
from kleene.report.table import run_table, wants_color
from kleene.report.text_drawing import structure_text
from kleene.structures.tvs_writer import TvsLocation, locations_tvs


def write_report(report: RunReport, given: Mapping[str, Any]) -> None:
    """Write every output that the options ask for; the summary table goes to the terminal."""
    drawing = DrawingOptions(rotate=given["rotate"])
    if given["json_file"]:
        write_output(given["json_file"], run_json(report))
    if given["tvs_file"]:
        write_output(given["tvs_file"], report_tvs(report, significant=given["significant"]))
    if given["dot_file"]:
        write_output(given["dot_file"], _dot(report, drawing))
    if given["svg_folder"]:
        _svg(report, Path(given["svg_folder"]), drawing)
    if given["html_file"]:
        from kleene.report.html_report import html_report

        write_output(given["html_file"], html_report(report))
    if given["log_file"]:
        write_output(given["log_file"], run_table(report))
    elif not given["quiet"] and "-" not in (given["json_file"], given["tvs_file"], given["dot_file"]):
        click.echo(run_table(report, color=wants_color(sys.stdout)), nl=False)
        if given["verbose"] or report.explanations:
            _print_details(report, all_structures=given["verbose"])


def report_tvs(report: RunReport, *, significant: bool = False) -> str:
    """The structures of every location that is shown, as TVLA writes them."""
    locations = [
        TvsLocation(
            location.name,
            location.structures if report.is_shown(location.name) else (),
            tuple((m.text, s) for m in location.messages for s in m.structures),
        )
        for location in report.locations
    ]
    return locations_tvs(locations, significant=significant)


def _dot(report: RunReport, drawing: DrawingOptions) -> str:
    notes = {x.name: str(len(x.structures)) for x in report.locations}
    pages = [cfg_dot(report.entry, report.edges, CfgDrawing(notes, {}, rotate=drawing.rotate))]
    pages += [show_dot(x.structures, drawing) for x in report.locations if report.is_shown(x.name)]
    return "\n".join(pages)


def _svg(report: RunReport, folder: Path, drawing: DrawingOptions) -> None:
    from kleene.report.svg import SvgPainter

    folder.mkdir(parents=True, exist_ok=True)
    painter = SvgPainter(drawing)
    for location in report.locations:
        if report.is_shown(location.name):
            for number, structure in enumerate(location.structures, 1):
                safe = "".join(c if c.isalnum() else "_" for c in location.name)
                (folder / f"{safe}-{number}.svg").write_text(painter.structure(structure), encoding="utf-8")


def _print_details(report: RunReport, *, all_structures: bool) -> None:
    if all_structures:
        for location in report.locations:
            for number, structure in enumerate(location.structures, 1):
                click.echo(f"\n{location.name}, structure {number}\n{structure_text(structure, indent='  ')}")
    for told in report.explanations:
        click.echo(f"\n{told.location}: from {told.source} by '{told.action}'")
        click.echo(structure_text(told.structure, indent="    "))
        for stage in told.stages:
            click.echo(f"  {stage.name}: {len(stage.structures)}")
            for structure, reason in stage.structures:
                click.echo(structure_text(structure, indent="    "))
                if reason:
                    click.echo(f"    discarded: {reason}")
