"""`kleene meet SPEC.tvp A.tvs B.tvs`."""

from __future__ import annotations

from typing import Any

import click

from kleene.cli.symbolic_options import SETTINGS, finish, specification, symbolic_options
from kleene.symbolic import meet


@click.command("meet", context_settings=SETTINGS)
@click.argument("program", metavar="SPEC")
@click.argument("left", metavar="A")
@click.argument("right", metavar="B")
@symbolic_options
def command(program: str, left: str, right: str, **given: Any) -> int:
    """The most precise abstraction of the stores that both A and B (TVS) represent.

    SPEC (TVP) gives the vocabulary and the integrity rules. Exit code 3: sound, but not known to be most precise.
    """
    spec = specification(program, given)
    result = meet(spec.structures(left), spec.structures(right), spec.theory, spec.options)
    return finish(spec, "meet", result)
