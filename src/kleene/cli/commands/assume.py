"""`kleene assume SPEC.tvp INPUT.tvs --formula F`."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import click

from kleene.cli.symbolic_options import SETTINGS, finish, specification, symbolic_options
from kleene.report.computation_tree import computation_text
from kleene.symbolic import assume
from kleene.symbolic.paper import computation
from kleene.symbolic.result import SymbolicOptions

TRACE_SHARE = 0.5
"""Share of the time for the tree of `--trace`, which the answer does not need."""


@click.command("assume", context_settings=SETTINGS)
@click.argument("program", metavar="SPEC")
@click.argument("input_name", metavar="INPUT")
@click.option("--formula", required=True, metavar="F", help="A closed formula in TVP syntax.")
@click.option("--trace", is_flag=True, help="Print the computation tree of the paper's algorithm (Figs. 4 to 6) first.")
@symbolic_options
def command(program: str, input_name: str, formula: str, trace: bool, **given: Any) -> int:
    """The most precise abstraction of the stores of INPUT (TVS) that satisfy the formula F.

    SPEC (TVP) gives the vocabulary and the integrity rules. Exit code 3: sound, but not known to be most precise.
    """
    spec = specification(program, given)
    structures = spec.structures(input_name)
    options, start = spec.options, time.perf_counter()
    traced = trace and not given["quiet"]
    result = assume(
        spec.formula(formula), structures, spec.theory, _with_time(options, 1 - TRACE_SHARE) if traced else options
    )
    if traced:
        rest = _with_time(options, 1, time.perf_counter() - start)
        _, roots = computation(spec.formula(formula), structures, spec.theory, rest, best=result)
        click.echo(computation_text(roots))
    return finish(spec, "assume", result, formula=formula)


def _with_time(options: SymbolicOptions, share: float, used: float = 0.0) -> SymbolicOptions:
    """The options with a share of the time that is left."""
    total = options.limits.total_seconds
    if total is None:
        return options
    return replace(options, limits=replace(options.limits, total_seconds=max(share * (total - used), 0.0)))
