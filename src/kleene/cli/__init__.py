"""The command line. Sub-commands are imported when they are used, so that start-up stays short.

In reading order:

- `commands`: one module for each command
- `lsp`: the language server
- `dataclass_methods`: a shorter start
- `files`: input files and outputs
- `legacy`: TVLA's own spelling of options
- `settings`: options of a run, with properties files
- `check_request`: the options of `kleene check` as one value
- `library`: `kleene check --library`
- `refine_options`: options about refinement
- `machine_options`: `--machine` and `--threads`
- `format_options`: options of SARIF, witnesses and baselines
- `symbolic_options`: options shared by the symbolic commands
- `task_files`: SV-COMP's task and property files
- `numbers`: numbers on the command line
- `help_examples`: examples at the end of `--help`
- `outputs`: reports in all forms
- `progress`: progress on a terminal
"""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence

import click
from click.shell_completion import CompletionItem

from kleene import __version__
from kleene.cli import dataclass_methods  # noqa: F401 -- before all dataclasses
from kleene.cli.files import Unread, print_problems
from kleene.cli.help_examples import epilog_of
from kleene.cli.legacy import translate_arguments
from kleene.diagnostics import (
    InputError,
    InternalCheckError,
    KleeneError,
    LimitReached,
    UsageError,
    did_you_mean,
)

DONE, REPORTED, BAD_INPUT, INCONCLUSIVE, CHECK_FAILED = range(5)
"""Exit codes, the same for every command."""

_COMMANDS = {
    "check": ("kleene.cli.commands.check", "Prove a C program memory safe, or show a run that is not."),
    "batch": ("kleene.cli.commands.batch", "Check many programs, on one machine or on a cluster."),
    "validate": ("kleene.cli.commands.validate", "Validate a witness of a violation or of a proof."),
    "recheck": ("kleene.cli.commands.recheck", "Check a proof by refinement again, from its certificate."),
    "shapes": ("kleene.cli.commands.shapes", "List the shape classes that refinement chooses from."),
    "run": ("kleene.cli.commands.run", "Run a TVP program on TVS input structures."),
    "assume": ("kleene.cli.commands.assume", "The most precise abstraction of what satisfies a formula."),
    "alpha": ("kleene.cli.commands.alpha", "The most precise abstraction of a formula."),
    "meet": ("kleene.cli.commands.meet", "The most precise meet of two sets of structures."),
    "transform": ("kleene.cli.commands.transform", "The best transformer of actions or calls."),
    "contracts": ("kleene.cli.commands.contracts", "Check the bodies of TVP procedures against their specifications."),
    "show": ("kleene.cli.commands.show", "Draw the structures of a TVS file."),
    "diff": ("kleene.cli.commands.diff", "Compare two TVS results of one program."),
    "lsp": ("kleene.cli.commands.lsp", "Serve an editor: mistakes, findings, shapes, completion."),
    "examples": ("kleene.cli.commands.examples", "Copy the shipped examples to a folder."),
    "doctor": ("kleene.cli.commands.doctor", "Show what is installed, and whether it works."),
    "completion": ("kleene.cli.commands.completion", "Print the script that completes commands in a shell."),
}
_COLLECT = (1_000_000, 20, 20)
"""How seldom Python looks for cycles of garbage: there are few, and formulas and structures live to the end."""
_COMPLETE = "_KLEENE_COMPLETE"
"""Set by the script of `kleene completion`: then click answers the shell."""


class _Lazy(click.Group):
    """A group whose commands are modules with a `command` each."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(_COMMANDS[cmd_name][0]).command
        command.epilog = epilog_of(cmd_name)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The names of commands, without importing them; options of the group are left to click."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        fitting = [(name, text) for name, (_, text) in _COMMANDS.items() if name.startswith(incomplete)]
        return [CompletionItem(name, help=text) for name, text in fitting]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in _COMMANDS:
            is_file = os.path.exists(name) or os.path.exists(name + ".tvp") or name.endswith(".tvp")
            hint = f"; did you mean 'kleene run {name}'?" if is_file else did_you_mean(name, _COMMANDS)
            raise UsageError(f"there is no command '{name}'{hint or '; there are ' + ', '.join(_COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])


def _version(context: click.Context, parameter: click.Parameter, asked: bool) -> None:
    if asked:
        from kleene.cli.machine_options import machine_words

        click.echo(f"kleene, version {__version__}, {machine_words()}")
        context.exit()


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version.")
def program() -> None:
    """Shape analysis with three-valued logic: proofs about linked data structures, and pictures of the heaps.

    Exit codes: 0 nothing to report, 1 a message was reported, 2 bad usage or input, 3 inconclusive, 4 an internal
    check failed.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code. A request to terminate is treated as Ctrl-C."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    gc.set_threshold(*_COLLECT)
    sys.stdout, sys.stderr = Unread(sys.stdout), Unread(sys.stderr)
    code = run_main(list(sys.argv[1:] if arguments is None else arguments), own_process=True)
    sys.stdout.flush()
    if threading.active_count() > 1:
        sys.exit(code)
    atexit._run_exitfuncs()
    sys.stderr.flush()
    os._exit(code)  # the objects of an analysis are not taken apart one by one: that would be a tenth of the time


def run_main(arguments: list[str], *, own_process: bool = False) -> int:
    """Run the command line; errors become one clear message on standard error.

    In its own process, the user waits since that began. The root object of click's contexts is the beginning, or None.
    """
    began = None if own_process else time.perf_counter()
    if not arguments and _COMPLETE not in os.environ:
        with click.Context(program, info_name="kleene") as context:
            click.echo(program.get_help(context), err=True)
        return BAD_INPUT
    try:
        result = program.main(translate_arguments(arguments), prog_name="kleene", standalone_mode=False, obj=began)
        return result if isinstance(result, int) else DONE
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except (KeyboardInterrupt, click.Abort):
        return _problem("interrupted", INCONCLUSIVE)
    except click.ClickException as problem:
        return _problem(_explanation(problem), BAD_INPUT)
    except LimitReached as problem:
        return _problem(str(problem), INCONCLUSIVE)
    except MemoryError:
        return _problem("out of memory", INCONCLUSIVE)
    except InternalCheckError as problem:
        return _problem(f"internal check failed: {problem}", CHECK_FAILED)
    except InputError as problem:
        print_problems(problem.diagnostics)
        return BAD_INPUT
    except KleeneError as problem:
        return _problem(str(problem), BAD_INPUT)
    except OSError as problem:
        place = f"{problem.filename}: " if problem.filename else ""
        return _problem(f"{place}{problem.strerror or problem}", BAD_INPUT)
    except RecursionError:
        return _problem("the input is nested too deeply", BAD_INPUT)
    except Exception as problem:
        if os.environ.get("KLEENE_DEBUG"):
            raise
        what = f"{type(problem).__name__}: {problem}"
        return _problem(f"internal error: {what} (a bug; KLEENE_DEBUG=1 shows where)", CHECK_FAILED)


def _problem(text: str, code: int) -> int:
    click.echo(f"kleene: {text}", err=True)
    return code


def _explanation(problem: click.ClickException) -> str:
    """click's message in the form of ours; the nearest option is suggested, not every one that is similar."""
    if isinstance(problem, click.NoSuchOption):
        known = [name for p in problem.ctx.command.params for name in p.opts] if problem.ctx else []
        where = f"; 'kleene {problem.ctx.info_name} --help' lists them" if problem.ctx else ""
        swapped = [name for name in known if sorted(name) == sorted(problem.option_name)]
        hint = did_you_mean(problem.option_name, swapped or known)
        return f"there is no option '{problem.option_name}'{hint or where}"
    text = problem.format_message().rstrip(".")
    return text[:1].lower() + text[1:]
