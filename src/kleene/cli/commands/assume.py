"""`kleene assume SPEC.tvp INPUT.tvs --formula F`."""

from __future__ import annotations

from typing import Any

import click

from kleene.cli.symbolic_options import SETTINGS, finish, specification, symbolic_options
from kleene.report.computation_tree import computation_text
from kleene.symbolic import assume
from kleene.symbolic.paper import computation

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
    traced = trace and not given["quiet"]
    options = spec.with_share(1 - TRACE_SHARE) if traced else spec.options
    result = assume(spec.formula(formula), structures, spec.theory, options)
    if traced:
        _, roots = computation(spec.formula(formula), structures, spec.theory, spec.options, best=result)
        click.echo(computation_text(roots))
    return finish(spec, "assume", result, formula=formula)
