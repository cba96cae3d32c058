"""Readings and invariants of an earlier check, which a person may have edited: the JSON of `kleene check --library`.

Stored readings are not inferred again. So a change of a function cannot change how it is to be called: if a call that
was admissible fails now, the change breaks the contract.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kleene.analysis.c.library.interface.exports import ExportedFunction
from kleene.analysis.c.library.interface.object_types import ObjectTypes, record_of
from kleene.analysis.c.library.readings.operations import POINTER_ROLES, Fate, Operation, Outcome, Role
from kleene.core.verdict import Verdict
from kleene.diagnostics import UsageError
from kleene.results.library import LIBRARY_SCHEMA, LibraryReport, Reading


@dataclass(frozen=True)
class StoredContracts:
    """What an earlier check stored."""

    file: str = ""
    readings: Mapping[str, Reading] = field(default_factory=dict)
    proved: frozenset[str] = frozenset()
    invariants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def operation(self, function: ExportedFunction, types: ObjectTypes) -> Operation | None:
        """The stored reading of a function; None if it does not fit the parameters that it has now."""
        reading = self.readings[function.name]
        roles = tuple(Role[name.upper()] for name in reading.roles)
        if len(roles) != len(function.parameters):
            return None
        for role, parameter in zip(roles, function.parameters, strict=True):
            name = record_of(parameter.type)
            if (role in POINTER_ROLES) != bool(name) or (name and name not in (*types.kept, *types.elements)):
                return None
        return Operation(function, roles, Fate[reading.fate.upper()], Outcome[reading.outcome.upper()])

    def breaches(self, report: LibraryReport) -> list[str]:
        """Sentences about functions that were proved, and facts that held, and are not any more."""
        verdicts = {f.name: f for f in report.functions}
        lines = []
        for name in sorted(self.proved):
            verdict = verdicts.get(name)
            if verdict is None:
                lines.append(f"{name} is no longer exported")
            elif verdict.verdict is Verdict.FALSE:
                lines.append(f"{name} breaks its contract: {' '.join(verdict.sequence) or verdict.reason}")
            elif verdict.verdict is Verdict.UNKNOWN:
                lines.append(f"{name} is no longer proved: {verdict.reason}")
        if all(f.verdict is Verdict.TRUE for f in report.functions):
            for type_, facts in self.invariants.items():
                lost = [fact for fact in facts if fact not in report.invariants.get(type_, ())]
                lines += [f"no longer an invariant of {type_}: {fact}" for fact in lost]
        return lines


def read_stored(text: str, file: str) -> StoredContracts:
    """The contracts in the JSON of an earlier check. Raises UsageError if it is none."""
    try:
        document = json.loads(text)
    except ValueError as problem:
        raise UsageError(f"{file}: not the JSON of one library: {problem}") from None
    if not isinstance(document, dict) or document.get("schema") != LIBRARY_SCHEMA:
        raise UsageError(
            f"{file}: not a result of 'kleene check --library --json' ('schema' is not {LIBRARY_SCHEMA!r})"
        )
    try:
        functions: list[dict[str, Any]] = document["functions"]
        readings = {f["name"]: _reading(f["reading"]) for f in functions if f.get("reading")}
        proved = frozenset(f["name"] for f in functions if f["verdict"] == str(Verdict.TRUE))
        invariants = {name: tuple(facts) for name, facts in document["invariants"].items()}
    except (KeyError, TypeError, AttributeError) as problem:
        raise UsageError(f"{file}: a member is missing or unknown: {problem}") from None
    return StoredContracts(file, readings, proved, invariants)


def _reading(value: dict[str, Any]) -> Reading:
    reading = Reading(tuple(value["roles"]), value["fate"], value["outcome"])
    for name in reading.roles:
        Role[name.upper()]
    Fate[reading.fate.upper()], Outcome[reading.outcome.upper()]
    return reading
