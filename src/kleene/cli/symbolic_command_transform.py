"""`kleene transform SPEC.tvp INPUT.tvs --action 'name(args)'`, repeatable; calls with specifications by --contracts."""

from __future__ import annotations

from typing import Any

import click

from kleene.cli.files import input_file
from kleene.cli.symbolic_command import SETTINGS, Specification, finish, specification, symbolic_options
from kleene.report.symbolic_report import Violation
from kleene.structures.structure import Structure
from kleene.symbolic.best import BestTransformer
from kleene.symbolic.calls import action_of, split_call
from kleene.symbolic.contracts import Call, Contracts, read_contracts
from kleene.transformers.action import Action


@click.command("transform", context_settings=SETTINGS)
@click.argument("program", metavar="SPEC")
@click.argument("input_name", metavar="INPUT")
@click.option("--action", "actions", multiple=True, required=True, metavar="CALL", help="name(arguments); repeatable.")
@click.option("--contracts", metavar="FILE", help="Specifications of procedures; --action may call them.")
@symbolic_options
def command(program: str, input_name: str, actions: tuple[str, ...], contracts: str | None, **given: Any) -> int:
    """The best transformer of an action (or of several, as one block) on the structures of INPUT (TVS).

    Exit code 1: the precondition of a called procedure may fail. 3: sound, but not known to be most precise.
    """
    spec = specification(program, given)
    structures = spec.structures(input_name)
    known = read_contracts(input_file(contracts, ".contracts")) if contracts else Contracts({})
    steps = [_step(spec, known, text) for text in actions]
    violations: list[Violation] = []
    result = None
    block: list[Action | Call] = []
    for number, step in enumerate(steps):
        if isinstance(step, Call):
            before = structures
            if block:
                before = list(BestTransformer(block, spec.theory, spec.options).run(structures).structures)
            violations += _violations(spec, step, actions[number], before)
        block.append(step)
    result = BestTransformer(block, spec.theory, spec.options).run(structures)
    return finish(spec, "transform", result, actions=actions, violations=violations)


def _step(spec: Specification, known: Contracts, text: str) -> Action | Call:
    name, arguments = split_call(text)
    if name in known.procedures:
        return known.procedures[name].call(arguments, spec.program)
    return action_of(spec.program, text)


def _violations(spec: Specification, call: Call, text: str, structures: list[Structure]) -> list[Violation]:
    broken = call.violations(structures, spec.theory, spec.options)
    return [Violation(text, str(call.requires), broken.structures)] if broken.structures else []
