"""`kleene validate WITNESS`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kleene.cli.numbers import Seconds
from kleene.cli.task_files import named_properties, specified_properties
from kleene.core.verdict import PROPERTIES

_EXIT = {"confirmed": 0, "refuted": 1, "not confirmed": 3}


@click.command("validate", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("witness")
@click.option("--property", "properties", multiple=True, metavar="NAME", help="Instead of the witness's own property.")
@click.option("-I", "--include", multiple=True, metavar="FOLDER", help="Where to look for included files.")
@click.option("-D", "--define", "defines", multiple=True, metavar="NAME[=VALUE]", help="Define a macro.")
@click.option("--timeout", type=Seconds(), default=60.0, help="Seconds (default 60).")
@click.option("--quiet", is_flag=True, help="Print nothing; the exit code is the answer.")
def command(witness: str, properties: tuple[str, ...], **given: Any) -> int:
    """Validate a witness of SV-COMP's format 2.0 against the program that it names.

    A violation is replayed on the interpreter; the invariants of a proof are checked as assertions. The program is
    looked for under the name that the witness gives. Exit codes: 0 confirmed, 1 refuted, 2 bad input, 3 not confirmed.
    """
    from kleene.analysis.c.options import check_options
    from kleene.analysis.witnesses.files import read_witness
    from kleene.analysis.witnesses.validate import validate

    read = read_witness(witness)
    names, entry = named_properties(properties, tuple(PROPERTIES))
    own, own_entry = specified_properties(read.specification, witness)
    options = check_options(
        properties=names or own,
        malloc_may_fail=False,
        cleanup_at_abort=True,
        include=(*given["include"], str(Path(witness).parent)),
        defines=given["defines"],
        entry=entry or own_entry,
        data_model=read.data_model,
        timeout=given["timeout"],
    )
    result = validate(read, options.properties, options)
    if not given["quiet"]:
        click.echo(f"{witness}: {result.answer}: {result.reason}")
    return _EXIT[result.answer]
