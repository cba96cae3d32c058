"""`kleene check --library FILE...`: the exported functions of each file, on every admissible input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from kleene.cli.check_request import CheckRequest
from kleene.cli.files import input_file, write_output
from kleene.cli.format_options import FORMAT_FILES
from kleene.cli.progress import Spinner
from kleene.core.verdict import Verdict, together
from kleene.diagnostics import InputError, UsageError

if TYPE_CHECKING:
    from kleene.results.library import LibraryReport

_EXIT = {Verdict.TRUE: 0, Verdict.FALSE: 1, Verdict.UNKNOWN: 3}
_BAD_INPUT = 2


def check_libraries(request: CheckRequest, given: dict[str, Any]) -> int:
    """Check each file as a library of its own; one that cannot be read does not keep the others from being checked."""
    from kleene.analysis.c.library.check import check_library
    from kleene.analysis.c.library.contracts.proved import prove_contracts
    from kleene.analysis.c.library.contracts.stored import read_stored

    _refuse(request, given)
    stored = None
    if given["readings"]:
        stored = read_stored(input_file(given["readings"], ".json").read_text(encoding="utf-8"), given["readings"])
    reports: list[LibraryReport] = []
    unread = 0
    for file in request.files:
        with Spinner(enabled=not given["quiet"]) as spinner:

            def tell(stage: str, spinner: Spinner = spinner, file: str = file) -> None:
                spinner.say(f"{file}: {stage} (at most {given['timeout']:g} s)")

            try:
                options = replace(request.options, tell=tell)
                report = check_library(file, options, given["only"], stored)
                if given["contracts_out"] and not is_for_checks(given["contracts_out"]):
                    prove_contracts(report, options)
                reports.append(report)
            except InputError as problem:
                if len(request.files) == 1:
                    raise
                unread += 1
                click.echo(str(problem), err=True)
    _write(reports, given)
    return _BAD_INPUT if unread else _EXIT[together([r.verdict for r in reports])]


def is_for_checks(contracts_out: str) -> bool:
    """Whether contracts are written for checks of clients: others are for people, and are proved one by one."""
    return contracts_out.endswith(".json")


def _refuse(request: CheckRequest, given: dict[str, Any]) -> None:
    for name, option in {"contracts": "--contracts", "entry": "--entry", "refine": "--refine"}.items():
        if given.get(name):
            raise UsageError(f"--library and {option} exclude each other")
    for name in (*FORMAT_FILES, "replay"):
        if given.get(name):
            raise UsageError(f"--library writes text, --json, --html, --contracts-out and --client-out, not '{name}'")
    for name, option in {"html_file": "--html", "readings": "--readings"}.items():
        if given[name] and len(request.files) > 1:
            raise UsageError(f"{option} is for one library: check each file by a call of its own")


def _write(reports: Sequence[LibraryReport], given: dict[str, Any]) -> None:
    from kleene.report.library_report import contract_lines, library_json, library_text

    if given["json_file"]:
        write_output(given["json_file"], "".join(map(library_json, reports)))
    if given["contracts_out"]:
        lines = [line for report in reports for line in contract_lines(report)]
        documents = "".join(map(library_json, reports))
        text = documents if is_for_checks(given["contracts_out"]) else "\n".join([*lines, ""])
        write_output(given["contracts_out"], text)
    if given["html_file"]:
        from kleene.analysis.c.library.contracts.contract import loop_heads
        from kleene.report.library_page import library_html

        for report in reports:
            is_known = report.check is not None and report.invariants
            heads = loop_heads(report.check, report.labels) if report.check is not None and is_known else []
            write_output(given["html_file"], library_html(report, next(iter(heads), None)))
    if given["client_out"]:
        write_output(given["client_out"], "".join(report.client for report in reports))
    if not given["quiet"] and "-" not in [given[n] for n in ("json_file", "contracts_out", "client_out", "html_file")]:
        for report in reports:
            click.echo(library_text(report), nl=False)
