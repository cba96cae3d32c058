"""`kleene recheck CERTIFICATE`: check a proof by refinement again, from its C files."""

from __future__ import annotations

from pathlib import Path

import click

from kleene.diagnostics import UsageError

_MOST = 5


@click.command("recheck", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("certificate")
@click.option("--shapes", multiple=True, metavar="FILE", help="Shape classes of your own, if the proof used some.")
@click.option("--quiet", is_flag=True, help="Print nothing; the exit code says it.")
def command(certificate: str, *, shapes: tuple[str, ...], quiet: bool) -> int:
    """Check a certificate of `kleene check --certificate` from scratch.

    The C files are read and translated again, and every step from every shape graph is computed again. Exit codes: 0
    the proof is valid, 1 it is not, 2 it cannot be read.
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
        if not result.problems:
            click.echo(
                f"  proves {', '.join(result.properties)} with {result.abstraction}: {result.graphs} shape graphs"
            )
    return 1 if result.problems else 0
