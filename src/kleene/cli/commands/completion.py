"""`kleene completion SHELL`: the script that completes commands, options and file names."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

_SHELLS = ("bash", "zsh", "fish")


@click.command("completion", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("shell", type=click.Choice(_SHELLS))
def command(shell: str) -> int:
    """Print the script that makes SHELL complete commands and options."""
    from kleene.cli import program

    kind = get_completion_class(shell)
    assert kind is not None  # the shells above are those that click knows
    template = kind(program, {}, "kleene", "_KLEENE_COMPLETE")
    click.echo(template.source_template % template.source_vars())
    return 0
