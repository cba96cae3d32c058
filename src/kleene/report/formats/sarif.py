"""Findings as SARIF 2.1.0, the format that code hosts and editors read (OASIS standard, 2020).

A run of the program is a code flow whose steps carry the heap in words; a possible finding is a warning; UNKNOWN and
bad input are notifications of the tool. `run.properties.openProperties` lists the undecided properties, so that a later
check can take this file as its baseline.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from kleene import __version__
from kleene.cfa.operations import Place
from kleene.core.plain_json import Json
from kleene.report.findings.rules import ALL_RULES, Rule, rule_of
from kleene.report.findings.source_lines import character_column
from kleene.report.findings.view import FindingView, FlowStep

SARIF_VERSION = "2.1.0"
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "kleeneFinding/v1"
"""The name of our fingerprint among the partial ones: the number changes when its computation does."""
_ROOT = "%SRCROOT%"
"""The usual name for the folder that relative names start at."""
_LONGEST_TEXT = 10_000
"""Characters of one message: a hostile program can make longer ones, and hosts refuse files with them."""


@dataclass(frozen=True)
class Notification:
    """Something about the check itself: a reason for UNKNOWN, or input that could not be read."""

    text: str
    is_error: bool = False
    is_note: bool = False
    """Whether it is information only, such as an assumption."""


@dataclass
class SarifRun:
    """The contents of one SARIF file, for one program or many."""

    views: list[FindingView] = field(default_factory=list)
    notifications: list[Notification] = field(default_factory=list)
    open_properties: dict[str, list[str]] = field(default_factory=dict)
    """For each program, by its first file: the properties that are UNKNOWN."""
    has_baseline: bool = False


def sarif_text(run: SarifRun) -> str:
    """The document of one run."""
    results = [_result(view, has_baseline=run.has_baseline) for view in run.views]
    return _log(results, [_notification(n) for n in run.notifications], run.open_properties)


def _log(
    results: Sequence[dict[str, Json]], notifications: Sequence[Json], open_properties: Mapping[str, Sequence[str]]
) -> str:
    kinds = {str(result["ruleId"]) for result in results} - {rule.kind for rule in ALL_RULES}
    rules = [*ALL_RULES, *map(rule_of, sorted(kinds))]
    index = {rule.kind: number for number, rule in enumerate(rules)}
    driver: Json = {
        "name": "Kleene",
        "fullName": f"Kleene {__version__}, shape analysis with three-valued logic",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(rule) for rule in rules],
    }
    run: Json = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": list(notifications)}],
        "results": [{**result, "ruleIndex": index[str(result["ruleId"])]} for result in results],
        "properties": {"openProperties": open_properties},
    }
    document: Json = {"$schema": _SCHEMA, "version": SARIF_VERSION, "runs": [run]}
    return json.dumps(document, indent=1) + "\n"


def _rule(rule: Rule) -> Json:
    return {
        "id": rule.kind,
        "name": "".join(part.capitalize() for part in rule.kind.split("_")),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.help},
        "help": {"text": rule.help},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": [rule.property_name]},
    }


def _result(view: FindingView, *, has_baseline: bool) -> dict[str, Json]:
    finding = view.finding
    place = Place(finding.file, finding.line, finding.column, finding.function)
    sure = "" if finding.confirmed else "possible: "
    result: dict[str, Json] = {
        "ruleId": finding.kind,
        "level": "error" if finding.confirmed else "warning",
        "message": _text(f"{sure}{rule_of(finding.kind).title}: {finding.message}"),
        "locations": [_location(place)],
        "partialFingerprints": {FINGERPRINT: view.fingerprint},
        "properties": {"status": finding.status, "inputs": list(finding.inputs)},
    }
    if view.flow:
        steps: list[Json] = [_flow_step(number, step) for number, step in enumerate(view.flow, 1)]
        how = "A run that shows the error" if finding.confirmed else "The path that could not be excluded"
        result["codeFlows"] = [{"message": _text(how), "threadFlows": [{"locations": steps}]}]
    if view.notes:
        result["relatedLocations"] = [
            {"id": number, **_location(note.place, note.text)} for number, note in enumerate(view.notes, 1)
        ]
    if view.suppressed is not None:
        result["suppressions"] = [{"kind": "inSource", "justification": view.suppressed}]
    if has_baseline:
        result["baselineState"] = "unchanged" if view.is_known else "new"
    return result


def _flow_step(number: int, step: FlowStep) -> dict[str, Json]:
    text = f"{step.text}\nheap: {step.heap}" if step.heap else step.text
    shown: dict[str, Json] = {
        "location": _location(step.place, text),
        "nestingLevel": max(0, step.depth),
        "executionOrder": number,
    }
    if step.heap:
        shown["state"] = {"heap": _text(step.heap)}
    return shown


def _location(place: Place, message: str | None = None) -> dict[str, Json]:
    column = character_column(place.file, place.line, place.column)
    location: dict[str, Json] = {
        "physicalLocation": {
            "artifactLocation": artifact(place.file),
            "region": {"startLine": max(1, place.line), "startColumn": column},
        },
    }
    if place.function:
        location["logicalLocations"] = [{"name": place.function, "kind": "function"}]
    if message is not None:
        location["message"] = _text(message)
    return location


def artifact(file: str) -> dict[str, Json]:
    """A file as a URI: relative names stay relative, characters that mean something in a URI are escaped."""
    path = Path(file)
    if path.is_absolute():
        return {"uri": "file://" + quote(path.as_posix(), errors="surrogateescape")}
    name = quote(path.as_posix(), errors="surrogateescape")
    return {"uri": name, "uriBaseId": _ROOT}


def _notification(notification: Notification) -> dict[str, Json]:
    level = "error" if notification.is_error else "note" if notification.is_note else "warning"
    return {"level": level, "message": _text(notification.text)}


def _text(text: str) -> dict[str, Json]:
    return {"text": text if len(text) <= _LONGEST_TEXT else text[:_LONGEST_TEXT] + " ..."}
