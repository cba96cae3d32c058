"""`kleene transform SPEC.tvp INPUT.tvs --action 'name(args)'`, repeatable; calls with specifications by --contracts."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import click

from kleene.cli.files import input_file
from kleene.cli.symbolic_options import SETTINGS, Specification, finish, specification, symbolic_options
from kleene.diagnostics import UsageError, did_you_mean
from kleene.report.symbolic_report import Violation
from kleene.structures.structure import Structure
from kleene.symbolic import SymbolicResult
from kleene.symbolic.best import BestTransformer, Breach, broken_ensures, broken_requires
from kleene.symbolic.contracts.action_calls import action_of, split_call
from kleene.symbolic.contracts.procedure_vocabulary import check_call
from kleene.symbolic.contracts.reader import read_contracts
from kleene.symbolic.contracts.specifications import Call, Contracts
from kleene.transformers.action import Action


@click.command("transform", context_settings=SETTINGS)
@click.argument("program", metavar="SPEC")
@click.argument("input_name", metavar="INPUT")
@click.option("--action", "actions", multiple=True, required=True, metavar="CALL", help="name(arguments); repeatable.")
@click.option("--contracts", metavar="FILE", help="Specifications of procedures; --action may call them.")
@click.option(
    "--ensures", metavar="CALL", help="Check the actions, as the body of this procedure, against its contract."
)
@click.option("--two-store", is_flag=True, help="Write old[q], the value of q before the actions, beside q.")
@symbolic_options
def command(
    program: str,
    input_name: str,
    actions: tuple[str, ...],
    contracts: str | None,
    ensures: str | None,
    two_store: bool,
    **given: Any,
) -> int:
    """The best transformer of an action (or of several, as one block) on the structures of INPUT (TVS).

    Exit code 1: the precondition of a called procedure, or the postcondition of --ensures, may fail. 3: sound, but not
    known to be most precise, or a condition was not decided.
    """
    if two_store and ensures is not None:
        raise UsageError("--two-store shows the results of actions, and --ensures checks a body: use one of them")
    spec = specification(program, given)
    structures = spec.structures(input_name)
    known = read_contracts(input_file(contracts, ".contracts")) if contracts else Contracts({})
    steps = [_step(spec, known, text) for text in actions]
    start = time.perf_counter()
    checks = _Checks(spec, structures, steps, actions)
    checks.requires()
    if ensures is not None:
        checks.ensures(ensures, _procedure(spec, known, ensures))
        result = SymbolicResult((), (), True, None, 0, time.perf_counter() - start, spec.options.solver().statistics)
    else:
        result = BestTransformer(steps, spec.theory, spec.options, two_store=two_store).run(structures)
    reasons = [r for r in (result.reason, *checks.reasons) if r]
    result = replace(result, most_precise=not reasons, reason="; ".join(reasons) or None)
    return finish(spec, "transform", result, actions=actions, violations=checks.violations, body_of=ensures)


class _Checks:
    """The conditions of the calls in a block, and of the block as a body."""

    def __init__(
        self, spec: Specification, structures: list[Structure], steps: list[Action | Call], texts: tuple[str, ...]
    ) -> None:
        self.spec, self.structures, self.steps, self.texts = spec, structures, steps, texts
        self.violations: list[Violation] = []
        self.reasons: list[str] = []

    def requires(self) -> None:
        for number, step in enumerate(self.steps):
            if isinstance(step, Call):
                before = self.steps[:number]
                breach = broken_requires(step, before, self.structures, self.spec.theory, self.spec.options)
                self._note(self.texts[number], "requires", str(step.requires), breach)

    def ensures(self, text: str, call: Call) -> None:
        breach = broken_ensures(call, self.steps, self.structures, self.spec.theory, self.spec.options)
        self._note(text, "ensures", str(call.ensures), breach)

    def _note(self, text: str, kind: str, condition: str, breach: Breach) -> None:
        if breach.stores:
            self.violations.append(Violation(text, condition, breach.stores, kind))
        if breach.reason is not None:
            self.reasons.append(f"{kind} of {text}: {breach.reason}")


def _step(spec: Specification, known: Contracts, text: str) -> Action | Call:
    name, _ = split_call(text)
    return _procedure(spec, known, text) if name in known.procedures else action_of(spec.program, text)


def _procedure(spec: Specification, known: Contracts, text: str) -> Call:
    name, arguments = split_call(text)
    if name not in known.procedures:
        raise UsageError(f"no procedure '{name}' is specified{did_you_mean(name, known.procedures)}")
    check_call(known.procedures[name], arguments, spec.program, spec.program)
    return known.procedures[name].call(arguments, spec.program)
