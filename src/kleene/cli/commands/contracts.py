"""`kleene contracts SPEC.tvp FILE.contracts`: check each body against its specification, calls by theirs alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kleene.analysis.tvp.procedures import verify_contracts
from kleene.cli.files import check_writable, input_file, macros_of, write_output
from kleene.cli.machine_options import machine_options
from kleene.cli.numbers import Seconds
from kleene.diagnostics import UsageError, did_you_mean
from kleene.report.contracts_report import UNDECIDED, VIOLATED, contracts_html, contracts_json, contracts_text
from kleene.report.show import show_svg
from kleene.symbolic.contracts.reader import read_contracts
from kleene.tvp.program import load_program


@click.command("contracts", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("program", metavar="SPEC")
@click.argument("file", metavar="FILE")
@click.option("--procedure", "wanted", multiple=True, metavar="NAME", help="Check this body only; repeatable.")
@machine_options()
@click.option("--timeout", type=Seconds(), help="Seconds for each body.")
@click.option("--json", "json_file", metavar="FILE", help="Write the result as JSON ('-': standard output).")
@click.option("--html", "html_file", metavar="FILE", help="Write one self-contained page of what may fail.")
@click.option("--svg", "svg_folder", metavar="FOLDER", help="Write one SVG for each structure that shows a violation.")
@click.option("--include", multiple=True, metavar="FOLDER", help="Where to look for included files.")
@click.option("--define", "definitions", multiple=True, metavar="NAME[=VALUE]", help="Define a macro.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def command(program: str, file: str, wanted: tuple[str, ...], **given: Any) -> int:
    """Check the procedures of a contracts FILE over the predicates and actions of SPEC (TVP).

    Each body is analysed once, from its precondition; calls are taken by their specifications. Exit code 1: a condition
    may fail, and the structures that show it are drawn. 3: something was not decided.
    """
    check_writable([given["json_file"], given["html_file"]], folder=given["svg_folder"])
    path = input_file(program, ".tvp", given["include"])
    include = (*given["include"], str(path.parent))
    loaded = load_program(path, include=include, macros=macros_of(given["definitions"]))
    contracts = read_contracts(input_file(file, ".contracts"))
    for name in wanted:
        if name not in contracts.procedures:
            raise UsageError(f"no procedure '{name}' is specified{did_you_mean(name, contracts.procedures)}")
    results = verify_contracts(loaded, contracts, timeout=given["timeout"], only=wanted)
    if given["json_file"]:
        write_output(given["json_file"], contracts_json(loaded.name, results))
    if given["html_file"]:
        write_output(given["html_file"], contracts_html(loaded.name, results))
    if given["svg_folder"]:
        folder = Path(given["svg_folder"])
        folder.mkdir(parents=True, exist_ok=True)
        for result in results:
            drawings = show_svg([s for v in result.violations for s in v.structures])
            for number, svg in enumerate(drawings, 1):
                (folder / f"{result.name.partition('(')[0]}-{number}.svg").write_text(svg, encoding="utf-8")
    if not given["quiet"] and "-" not in (given["json_file"], given["html_file"]):
        click.echo(contracts_text(results), nl=False)
    verdicts = {r.verdict for r in results}
    return 1 if VIOLATED in verdicts else 3 if UNDECIDED in verdicts else 0
