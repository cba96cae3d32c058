"""The options of `kleene check` for other tools: SARIF, witnesses, and known findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kleene.cli.files import write_output
from kleene.core.verdict import Verdict, violated_properties
from kleene.diagnostics import UsageError

if TYPE_CHECKING:
    from kleene.analysis.c.options import CheckOptions
    from kleene.report.check.shape_words import Invariant
    from kleene.report.findings.baseline import Baseline
    from kleene.report.findings.view import FindingView
    from kleene.report.formats.c_invariants import CInvariant
    from kleene.results.check import CheckReport

Command = TypeVar("Command", bound=Callable[..., Any])
FORMAT_FILES = ("sarif_file", "witness_file")
"""The options that name a file to write."""
_VERIFIED, _VIOLATION, _BAD_INPUT, _INCONCLUSIVE = range(4)


def format_options(command: Command) -> Command:
    """Add the options to a command."""
    options = [
        click.option("--sarif", "sarif_file", metavar="FILE", help="Write the findings as SARIF 2.1.0."),
        click.option("--witness", "witness_file", metavar="FILE", help="Write a witness (SV-COMP's format 2.0)."),
        click.option("--baseline", "baseline_file", metavar="FILE", help="Report only what this SARIF file lacks."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@dataclass(frozen=True)
class Reported:
    """The findings of a check, compared with the known ones."""

    views: list[FindingView]
    baseline: Baseline | None
    warnings: list[str]


def given_baseline(given: Mapping[str, Any]) -> Baseline | None:
    """The baseline that was asked for; read before the check, so that a bad one costs no time."""
    name = given["baseline_file"]
    if name is None:
        return None
    if not Path(name).is_file():
        raise UsageError(f"there is no file '{name}'; 'kleene check --sarif {name}' writes one")
    from kleene.report.findings.baseline import read_baseline

    return read_baseline(Path(name).read_text(encoding="utf-8", errors="replace"), name)


def report_findings(report: CheckReport, baseline: Baseline | None, *, with_flow: bool) -> Reported:
    """The findings of a report with notes and fingerprints, and if they are wanted with the steps of their runs."""
    from kleene.report.findings.baseline import compare, suppression_warnings
    from kleene.report.findings.view import finding_views

    views = compare(finding_views(report.findings, report.traces, with_flow=with_flow), baseline)
    return Reported(views, baseline, suppression_warnings(views))


def write_sarif(report: CheckReport, told: Reported, target: str) -> None:
    """Write the findings; a reason for UNKNOWN and warnings are notifications."""
    from kleene.report.formats.sarif import Notification, SarifRun, sarif_text

    notifications = [Notification(text) for text in told.warnings]
    notifications += [Notification(f"assumes: {assumption}", is_note=True) for assumption in report.assumptions]
    open_names = _open(report)
    if open_names:
        notifications.append(Notification(f"{', '.join(open_names)}: UNKNOWN: {report.reason}"))
    run = SarifRun(told.views, notifications, {report.files[0]: open_names}, told.baseline is not None)
    write_output(target, sarif_text(run))


def write_witness(report: CheckReport, options: CheckOptions, loops: Sequence[Invariant], target: str) -> None:
    """Write the witness of an error that a run shows, or of a proof; for UNKNOWN there is none."""
    from kleene.report.formats.c_invariants import c_invariants
    from kleene.report.formats.witness import WitnessTask, correctness_witness, violation_witness

    if report.verdict is Verdict.UNKNOWN:
        click.echo("kleene: nothing is proved or refuted, so no witness was written", err=True)
        return

    properties = tuple(name for name, verdict in report.properties.items() if verdict is report.verdict)
    task = WitnessTask(report.files, properties, options.read.entry, options.read.data_model)
    if report.verdict is Verdict.TRUE:
        certain = loops if report.shape is not None and report.shape.complete and not report.shape.partial else ()
        write_output(
            target, correctness_witness(_proved_invariants(c_invariants(certain), report.files, options), task)
        )
        return
    for confirmed in report.traces:
        fault = confirmed.fault
        violated = [name for name in violated_properties(fault.kind, fault.detail) if name in properties]
        if violated:
            write_output(target, violation_witness(confirmed, replace(task, properties=tuple(violated[:1]))))
            return


def _proved_invariants(
    candidates: Sequence[CInvariant], files: Sequence[str], options: CheckOptions
) -> list[CInvariant]:
    """The invariants that a second check proves of the source."""
    from kleene.analysis.witnesses.files import Location, LoopInvariant
    from kleene.analysis.witnesses.validate import proved_invariants

    by_key = {LoopInvariant(Location(c.place.file, c.place.line, c.place.column), c.value): c for c in candidates}
    return [by_key[invariant] for invariant in proved_invariants(files, list(by_key), options)]


def exit_code(report: CheckReport, told: Reported) -> int:
    """2 for a file that does not compile, 1 for a confirmed error that is not put aside, 3 for something newly open."""
    if report.unread:
        return _BAD_INPUT
    confirmed = [view for view in told.views if view.finding.confirmed]
    if report.verdict is Verdict.FALSE and (not confirmed or any(view.counts for view in confirmed)):
        return _VIOLATION
    before = told.baseline.open_properties.get(report.files[0], frozenset()) if told.baseline else frozenset()
    return _INCONCLUSIVE if set(_open(report)) - before else _VERIFIED


def aside_lines(told: Reported) -> list[str]:
    """How many findings were put aside, and warnings about comments."""
    lines = [f"warning: {text}" for text in told.warnings]
    suppressed = [view for view in told.views if view.suppressed is not None]
    known = [view for view in told.views if view.is_known and view.suppressed is None]
    lines += [f"{v.finding.file}:{v.finding.line}: {v.finding.kind} suppressed: {v.suppressed}" for v in suppressed]
    if known:
        lines.append(f"{len(known)} finding{'s' if len(known) > 1 else ''} known from the baseline")
    return lines


def _open(report: CheckReport) -> list[str]:
    return [name for name, verdict in report.properties.items() if verdict is Verdict.UNKNOWN]


def new_views(views: Sequence[FindingView]) -> list[FindingView]:
    """The findings that are neither suppressed nor known."""
    return [view for view in views if view.suppressed is None and not view.is_known]
