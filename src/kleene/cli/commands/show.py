"""`kleene show FILE.tvs`: draw structures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kleene.cli.files import check_writable, input_file, macros_of, write_output
from kleene.diagnostics import UsageError, did_you_mean
from kleene.report.drawing.picture import DrawingOptions
from kleene.report.show import show_dot, show_html, show_svg, show_text
from kleene.structures.tvs_reader import read_tvs
from kleene.structures.tvs_vocabulary import vocabulary_of
from kleene.tvp.program import load_program


@click.command("show", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("file")
@click.option("--program", metavar="FILE.tvp", help="The program whose vocabulary the file uses.")
@click.option("--html", "html_file", metavar="FILE", help="Write one self-contained page.")
@click.option("--svg", "svg_folder", metavar="FOLDER", help="Write one SVG for each structure.")
@click.option("--dot", "dot_file", metavar="FILE", help="Write DOT.")
@click.option("--only", multiple=True, metavar="PREDICATE", help="Draw only these predicates.")
@click.option("--hide", multiple=True, metavar="PREDICATE", help="Do not draw these predicates.")
@click.option("--rotate", is_flag=True, help="Draw from left to right.")
@click.option("--include", multiple=True, metavar="FOLDER")
@click.option("--define", "definitions", multiple=True, metavar="NAME[=VALUE]")
def command(file: str, **given: Any) -> int:
    """Draw the structures of a TVS file as text, SVG, DOT or HTML.

    Without --program the predicates are taken from the file itself.
    """
    check_writable([given["html_file"], given["dot_file"]], folder=given["svg_folder"])
    path = input_file(file, ".tvs", given["include"])
    macros = macros_of(given["definitions"])
    if given["program"]:
        program = input_file(given["program"], ".tvp", given["include"])
        folders = (*given["include"], str(program.parent))
        vocabulary = load_program(program, include=folders, macros=macros, edges_optional=True).vocabulary
    else:
        vocabulary = vocabulary_of(path, include=given["include"], macros=macros)
    read = read_tvs(path, vocabulary, include=given["include"], macros=macros)
    items = list(read.structures) + [s for group in read.locations.values() for s in group]
    structures = [item.structure for item in items]
    if not structures:
        raise UsageError(f"there are no structures in '{path}'")
    for name in (*given["only"], *given["hide"]):
        if vocabulary.get(name) is None:
            raise UsageError(f"there is no predicate '{name}'{did_you_mean(name, [p.name for p in vocabulary])}")
    drawing = DrawingOptions(
        only=frozenset(given["only"]) or None, hide=frozenset(given["hide"]), rotate=given["rotate"]
    )
    if given["html_file"]:
        write_output(given["html_file"], show_html(structures, drawing, title=path.name))
    if given["dot_file"]:
        write_output(given["dot_file"], show_dot(structures, drawing))
    if given["svg_folder"]:
        folder = Path(given["svg_folder"])
        folder.mkdir(parents=True, exist_ok=True)
        for number, svg in enumerate(show_svg(structures, drawing), 1):
            (folder / f"{path.stem}-{number}.svg").write_text(svg, encoding="utf-8")
    if not (given["html_file"] or given["dot_file"] or given["svg_folder"]):
        click.echo(show_text(structures, drawing), nl=False)
    return 0
