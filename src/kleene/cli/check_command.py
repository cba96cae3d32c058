"""`kleene check FILE.c...`."""

from __future__ import annotations

from typing import Any

import click

from kleene.cli.files import write_output
from kleene.core.verdict import PROPERTIES, Verdict
from kleene.diagnostics import UsageError, did_you_mean

_EXIT = {Verdict.TRUE: 0, Verdict.FALSE: 1, Verdict.UNKNOWN: 3}


@click.command("check", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("files", nargs=-1, required=True)
@click.option(
    "--property", "properties", multiple=True, metavar="NAME", help="memsafety, memcleanup, unreach or assert."
)
@click.option("-I", "--include", multiple=True, metavar="FOLDER", help="Where to look for included files.")
@click.option("-D", "--define", "defines", multiple=True, metavar="NAME[=VALUE]", help="Define a macro.")
@click.option("--entry", default="main", metavar="FUNCTION", help="Where the program starts.")
@click.option("--32", "bits32", is_flag=True, help="Sizes of a 32-bit machine (ILP32).")
@click.option("--malloc-never-fails", is_flag=True, help="malloc always returns a block.")
@click.option("--svcomp", is_flag=True, help="The conventions of SV-COMP: 32 bits, malloc never fails.")
@click.option("--domain", type=click.Choice(["all", "shape", "explicit"]), default="all", help="Which analyses to use.")
@click.option("--shape-class", metavar="NAME", help="Use only this shape class.")
@click.option("--timeout", type=click.FloatRange(0, min_open=True), default=60.0, help="Seconds (default 60).")
@click.option("--max-structures", type=click.IntRange(1), default=200_000, help="Stop after so many structures.")
@click.option("--json", "json_file", metavar="FILE", help="Write the result as JSON ('-': standard output).")
@click.option("--trace", is_flag=True, help="Print the steps of each confirmed error.")
@click.option("--quiet", is_flag=True, help="Print nothing; the exit code is the verdict.")
def command(files: tuple[str, ...], **given: Any) -> int:
    """Prove a C program memory safe, or show a run that is not.

    Exit codes: 0 TRUE (proved), 1 FALSE (a confirmed error), 3 UNKNOWN.
    """
    from kleene.analysis.check import CheckOptions, check
    from kleene.report.check_report import check_json, check_text

    for name in given["properties"]:
        if name not in PROPERTIES:
            raise UsageError(f"there is no property '{name}'{did_you_mean(name, PROPERTIES)}")
    options = CheckOptions(
        properties=given["properties"] or tuple(PROPERTIES),
        malloc_may_fail=not (given["malloc_never_fails"] or given["svcomp"]),
        include=given["include"],
        defines=given["defines"],
        entry=given["entry"],
        data_model="ILP32" if given["bits32"] or given["svcomp"] else "LP64",
        timeout=given["timeout"],
        max_structures=given["max_structures"],
        shape_class=given["shape_class"],
        domain=given["domain"],
    )
    report = check(files, options)
    if given["json_file"]:
        write_output(given["json_file"], check_json(report))
    if not given["quiet"] and given["json_file"] != "-":
        click.echo(check_text(report, traces=given["trace"]), nl=False)
    return _EXIT[report.verdict]
