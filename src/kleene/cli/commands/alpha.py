"""`kleene alpha SPEC.tvp --formula F`."""

from __future__ import annotations

from typing import Any

import click

from kleene.cli.symbolic_options import SETTINGS, finish, specification, symbolic_options
from kleene.symbolic import alpha_hat


@click.command("alpha", context_settings=SETTINGS)
@click.argument("program", metavar="SPEC")
@click.option("--formula", required=True, metavar="F", help="A closed formula in TVP syntax.")
@symbolic_options
def command(program: str, formula: str, **given: Any) -> int:
    """The most precise abstraction of all stores that satisfy the formula F.

    SPEC (TVP) gives the vocabulary and the integrity rules. Exit code 3: sound, but not known to be most precise.
    """
    spec = specification(program, given)
    return finish(spec, "alpha", alpha_hat(spec.formula(formula), spec.theory, spec.options), formula=formula)
