"""`kleene recheck CERTIFICATE`: check a proof by refinement again, from its C files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kleene.diagnostics import UsageError

if TYPE_CHECKING:
    from kleene.analysis.c.certificates import Rechecked
    from kleene.c.options import ReadOptions

_MOST = 5
_CALLS = {"unreach_call": "a call of reach_error", "assertion": "an assertion that fails"}


@click.command("recheck", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("certificate")
@click.option("--shapes", multiple=True, metavar="FILE", help="Shape classes of your own, if the proof used some.")
@click.option("--quiet", is_flag=True, help="Print nothing; the exit code says it.")
def command(certificate: str, *, shapes: tuple[str, ...], quiet: bool) -> int:
    """Check a certificate of `kleene check --certificate` from scratch.

    The C files are read and translated again, and every step from every shape graph is computed again. The proved
    properties are printed with the options for reading the files. Exit codes: 0 the proof is valid, 1 it is not, 2 it
    cannot be read, is damaged, or was made for other files or by another version.
    """
    from kleene.analysis.c.certificates import recheck

    if not Path(certificate).is_file():
        raise UsageError(f"there is no file '{certificate}'")
    result = recheck(certificate, shapes=shapes)
    if not quiet:
        what = "valid" if not result.problems else "not valid"
        click.echo(f"{', '.join(result.files)}: {what}")
        for problem in result.problems[:_MOST]:
            click.echo(f"  {problem}")
        if len(result.problems) > _MOST:
            click.echo(f"  ... and {len(result.problems) - _MOST} more")
        for line in _statement(result) if not result.problems else ():
            click.echo(f"  {line}")
    return 1 if result.problems else 0


def _statement(result: Rechecked) -> list[str]:
    """The proved properties, and the options for reading the files."""
    lines = [f"proves {', '.join(result.properties)} with {result.abstraction}: {result.graphs} shape graphs"]
    if result.not_excluded:
        calls = " or ".join(_CALLS[kind] for kind in result.not_excluded)
        lines.append(f"up to {calls}, which it does not exclude")
    lines.append(f"read with {_reading(result.reading)}")
    if result.shape_files:
        lines.append(f"with the shape classes of {', '.join(result.shape_files)}")
    return lines


def _reading(options: ReadOptions) -> str:
    parts = [
        f"entry {options.entry}",
        options.data_model,
        "malloc that may fail" if options.malloc_may_fail else "malloc that never fails",
        "abort as an exit" if options.cleanup_at_abort else "abort as no exit",
        *options.compiler_flags,
        *(f"-p {folder}" for folder in [options.database] if folder),
        *(f"--extern {model}" for model in options.extern),
        *(f"--models {file}" for file in options.models),
    ]
    return ", ".join(parts)
