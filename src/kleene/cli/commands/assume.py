"""`kleene assume SPEC.tvp INPUT.tvs --formula F`."""

from __future__ import annotations

from typing import Any

import click

from kleene.cli.symbolic_options import SETTINGS, finish, specification, symbolic_options
from kleene.symbolic import assume


@click.command("assume", context_settings=SETTINGS)
@click.argument("program", metavar="SPEC")
@click.argument("input_name", metavar="INPUT")
@click.option("--formula", required=True, metavar="F", help="A closed formula in TVP syntax.")
@symbolic_options
def command(program: str, input_name: str, formula: str, **given: Any) -> int:
    """The most precise abstraction of the stores of INPUT (TVS) that satisfy the formula F.

    SPEC (TVP) gives the vocabulary and the integrity rules. Exit code 3: sound, but not known to be most precise.
    """
    spec = specification(program, given)
    result = assume(spec.formula(formula), spec.structures(input_name), spec.theory, spec.options)
    return finish(spec, "assume", result, formula=formula)
