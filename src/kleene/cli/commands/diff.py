"""`kleene diff PROGRAM FIRST.tvs SECOND.tvs`: compare two results."""

from __future__ import annotations

from typing import Any

import click

from kleene.analysis.tvp.compare import differences
from kleene.cli.files import check_writable, input_file, macros_of, write_output
from kleene.report.drawing.terminal import structure_text
from kleene.report.show import show_dot
from kleene.structures.tvs_reader import read_tvs
from kleene.tvp.program import load_program


@click.command("diff", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("program")
@click.argument("first")
@click.argument("second")
@click.option("--dot", "dot_file", metavar="FILE", help="Write the structures that differ as DOT.")
@click.option("--include", multiple=True, metavar="FOLDER")
@click.option("--define", "definitions", multiple=True, metavar="NAME[=VALUE]")
@click.option("--quiet", is_flag=True, help="Print nothing; the exit code says whether they differ.")
def command(program: str, first: str, second: str, **given: Any) -> int:
    """Compare two TVS results of PROGRAM, as `kleene run --tvs` and TVLA write them. Exit code 1: they differ."""
    macros = macros_of(given["definitions"])
    check_writable([given["dot_file"]])
    path = input_file(program, ".tvp", given["include"])
    folders = (*given["include"], str(path.parent))
    vocabulary = load_program(path, include=folders, macros=macros, edges_optional=True).vocabulary
    files = [
        read_tvs(input_file(name, ".tvs", given["include"]), vocabulary, include=folders, macros=macros)
        for name in (first, second)
    ]
    differing = differences(*files)
    if given["dot_file"]:
        write_output(given["dot_file"], show_dot([s for d in differing for s in (*d.only_first, *d.only_second)]))
    if not given["quiet"]:
        for difference in differing:
            click.echo(f"{difference.location}: {difference.relation}")
            for name, structures, messages in (
                (first, difference.only_first, difference.messages_first),
                (second, difference.only_second, difference.messages_second),
            ):
                for text in messages:
                    click.echo(f'  only in {name}: message "{text}"')
                for structure in structures:
                    click.echo(f"  only in {name}:\n{structure_text(structure, indent='    ')}")
        if not differing:
            click.echo("the results are the same")
    return 1 if differing else 0
