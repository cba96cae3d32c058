"""`kleene shapes`: the shape classes that refinement chooses from."""

from __future__ import annotations

from pathlib import Path

import click

from kleene.cli.files import check_writable, write_output
from kleene.diagnostics import UsageError, did_you_mean


@click.command("shapes", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1)
@click.option("--shapes", "files", multiple=True, metavar="FILE", help="Shape classes of your own.")
@click.option("--svg", "svg_folder", metavar="FOLDER", help="Write a picture of each.")
@click.option("--html", "html_file", metavar="FILE", help="Write one self-contained page with the pictures.")
def command(names: tuple[str, ...], *, files: tuple[str, ...], svg_folder: str | None, html_file: str | None) -> int:
    """List the shape classes: data structures, their invariants and predicate families.

    A file of your own is checked: mistakes are reported with line and column, and so are families that are not
    monotone. The language is described in docs/reference/shapes.md.
    """
    from kleene.refine.classes.library import library
    from kleene.report.shapes_report import shapes_html, shapes_svg, shapes_text

    check_writable([html_file], folder=svg_folder)
    for file in files:
        if not Path(file).is_file():
            raise UsageError(f"there is no file '{file}'")
    entries = library(files)
    known = [entry.name for entry in entries]
    for name in names:
        if name not in known:
            raise UsageError(
                f"there is no shape '{name}'{did_you_mean(name, known) or '; there are ' + ', '.join(known)}"
            )
    chosen = [entry for entry in entries if not names or entry.name in names]
    if svg_folder:
        folder = Path(svg_folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name, svg in shapes_svg(chosen).items():
            (folder / f"{name}.svg").write_text(svg, encoding="utf-8")
    if html_file:
        write_output(html_file, shapes_html(chosen))
    if not (svg_folder or html_file):
        click.echo(shapes_text(chosen), nl=False)
    return 0
