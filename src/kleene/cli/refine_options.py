"""The options of `kleene check` that are about refinement."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kleene.cli.files import write_output

if TYPE_CHECKING:
    from kleene.analysis.c.options import CheckOptions
    from kleene.analysis.c.refinement import RefineSettings
    from kleene.refine.loop import Refined

Command = TypeVar("Command", bound=Callable[..., Any])
_ASK_FOR_IT = ("trace_refinement", "structure_hint", "shapes", "certificate_file")
"""Options that make no sense without refinement: they switch it on."""


def refine_options(command: Command) -> Command:
    """Add the options to a command."""
    options = [
        click.option("--refine", "wants_refinement", is_flag=True, help="Find the shape class automatically."),
        click.option("--trace-refinement", is_flag=True, help="Print every round of the refinement."),
        click.option("--shapes", multiple=True, metavar="FILE", help="Shape classes of your own (kleene shapes)."),
        click.option("--structure-hint", metavar="NAME", help="The data structure, instead of sample heaps."),
        click.option("--samples", type=click.IntRange(1), default=5, help="Sample heaps to collect (default 5)."),
        click.option("--sample-size", type=click.IntRange(1), default=4, help="Nodes of a sample heap (default 4)."),
        click.option("--max-rounds", type=click.IntRange(1), default=60, help="Give up after this many rounds."),
        click.option("--memory", type=click.IntRange(1), metavar="MIB", help="Give up above this much memory."),
        click.option("--certificate", "certificate_file", metavar="FILE", help="Write the proof for kleene recheck."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def refine_settings(given: dict[str, Any]) -> RefineSettings | None:
    """The settings of the options; None without refinement."""
    if not (given["wants_refinement"] or any(given[name] for name in _ASK_FOR_IT)):
        return None
    from kleene.analysis.c.refinement import RefineSettings
    from kleene.analysis.limits import MOST_MEMORY
    from kleene.domains.shape.domain import MOST_STRUCTURES
    from kleene.refine.heaps.samples import SampleOptions
    from kleene.refine.loop import RefineOptions

    options = RefineOptions(
        max_rounds=given["max_rounds"],
        max_structures=given["max_structures"] or MOST_STRUCTURES,
        samples=SampleOptions(given["samples"], given["sample_size"]),
        hint=given["structure_hint"],
        workers=min(4, os.cpu_count() or 1),
    )
    return RefineSettings(given["shapes"], options, given["memory"] << 20 if given["memory"] else MOST_MEMORY)


def write_certificate(refined: Refined | None, options: CheckOptions, target: str) -> None:
    """Write the proof; without one, print a message and write nothing."""
    if refined is None or refined.outcome != "safe":
        click.echo("kleene: there is no proof by refinement, so no certificate was written", err=True)
        return
    from kleene.analysis.c.certificates import certificate_text

    write_output(target, certificate_text(refined, options))
