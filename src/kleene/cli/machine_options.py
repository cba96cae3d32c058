"""`--machine` and `--threads`, the same for every command that analyses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from kleene.cli.numbers import Count
from kleene.structures.machine import NAMES, choose, machine_name, native_is_built, thread_count

Command = TypeVar("Command", bound=Callable[..., Any])


def machine_options(*, threads: int | None = None) -> Callable[[Command], Command]:
    """The options; `threads` is the default where one process is not the only one."""

    def chosen_machine(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
        choose(value, None)

    def chosen_threads(context: click.Context, parameter: click.Parameter, value: int | None) -> None:
        choose(None, value)

    def decorate(command: Command) -> Command:
        many = f"default: {threads}" if threads else "default: the number of cores"
        command = click.option(
            "--threads",
            type=Count(1),
            default=threads,
            expose_value=False,
            callback=chosen_threads,
            help=f"Threads of the native machine ({many}).",
        )(command)
        return click.option(
            "--machine",
            type=click.Choice(NAMES),
            expose_value=False,
            callback=chosen_machine,
            help="Which machine runs the analysis (default: native where it was built).",
        )(command)

    return decorate


def machine_words() -> str:
    """Which machine runs, for `kleene --version`."""
    if not native_is_built():
        return "Python machine (the native machine was not built with this installation)"
    if machine_name() == "python":
        return "Python machine"
    return f"native machine, {thread_count()} threads"
