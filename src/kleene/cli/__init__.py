"""The command line. Sub-commands are imported when they are used, so that start-up stays short."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

import click

from kleene import __version__
from kleene.cli.legacy import translated
from kleene.diagnostics import InputError, InternalCheckError, KleeneError

DONE, REPORTED, BAD_INPUT, INCONCLUSIVE, CHECK_FAILED = range(5)
"""Exit codes, the same for every command."""

_COMMANDS = {
    "run": ("kleene.cli.run_command", "Run a TVP program on TVS input structures."),
    "show": ("kleene.cli.show_command", "Draw the structures of a TVS file."),
    "diff": ("kleene.cli.diff_command", "Compare two TVS results of one program."),
}


class _Lazy(click.Group):
    """A group whose commands are modules with a `command` each."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        found: click.Command = importlib.import_module(_COMMANDS[cmd_name][0]).command
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="kleene")
def program() -> None:
    """Shape analysis with three-valued logic: proofs about linked data structures, and pictures of the heaps.

    Exit codes: 0 nothing to report, 1 a message was reported, 2 bad usage or input, 3 inconclusive, 4 an internal
    check failed.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    sys.exit(run_main(list(sys.argv[1:] if arguments is None else arguments)))


def run_main(arguments: list[str]) -> int:
    """Run the command line; errors become one clear message on standard error."""
    try:
        result = program.main(translated(arguments), prog_name="kleene", standalone_mode=False)
        return result if isinstance(result, int) else DONE
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.Abort:
        click.echo("kleene: interrupted", err=True)
        return INCONCLUSIVE
    except click.ClickException as problem:
        click.echo(f"kleene: {problem.format_message()}", err=True)
        return BAD_INPUT
    except InternalCheckError as problem:
        click.echo(f"kleene: internal check failed: {problem}", err=True)
        return CHECK_FAILED
    except InputError as problem:
        click.echo(str(problem), err=True)
        return BAD_INPUT
    except KleeneError as problem:
        click.echo(f"kleene: {problem}", err=True)
        return BAD_INPUT
    except OSError as problem:
        click.echo(f"kleene: {problem.filename or ''}: {problem.strerror or problem}", err=True)
        return BAD_INPUT
    except KeyboardInterrupt:
        click.echo("kleene: interrupted", err=True)
        return INCONCLUSIVE
    except BrokenPipeError:
        return DONE
