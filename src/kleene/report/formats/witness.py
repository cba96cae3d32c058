"""Witnesses in SV-COMP's format 2.0 (YAML): a run that violates a property, or invariants of a proof.

A violation witness gives the inputs of the run as values that functions return, in order, and then the place of the
error. A correctness witness gives invariants of loop heads as C expressions, where C can express them (`c_invariants`).
Places are those of the source; the place of a call is its closing parenthesis, as the format requires.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import yaml

from kleene import __version__
from kleene.cfa.operations import Allocate, Place, Realloc
from kleene.core.plain_json import Json
from kleene.core.verdict import PARTS_OF_MEMSAFETY
from kleene.domains.explicit.explore import Confirmed
from kleene.report.findings.source_lines import character_column, source_lines
from kleene.report.formats.c_invariants import CInvariant

FORMAT_VERSION = "2.0"
_NONDET = "__VERIFIER_nondet_"
_SPECIFICATIONS = {
    "memsafety": tuple(f"G {part}" for part in PARTS_OF_MEMSAFETY),
    **{part: (f"G {part}",) for part in PARTS_OF_MEMSAFETY},
    "memcleanup": ("G valid-memcleanup",),
    "unreach": ("G ! call(reach_error())",),
    "assert": ("G ! call(__assert_fail())",),
}
_LONGEST_CALL = 20
"""Lines in which the closing parenthesis of a call is looked for."""


@dataclass(frozen=True)
class WitnessTask:
    """The program and the property that a witness is about."""

    files: tuple[str, ...]
    properties: tuple[str, ...]
    entry: str
    data_model: str


def violation_witness(confirmed: Confirmed, task: WitnessTask) -> str:
    """The witness of a run with an error."""
    points = _inputs(confirmed)
    target: Json = {"type": "target", "action": "follow", "location": _location(confirmed.fault.place)}
    segments: list[Json] = [{"segment": [{"waypoint": point}]} for point in (*points, target)]
    return _document("violation_sequence", segments, task)


def correctness_witness(invariants: Sequence[CInvariant], task: WitnessTask) -> str:
    """The witness of a proof; if C can express no invariant, its content is empty."""
    entries: list[Json] = [
        {
            "invariant": {
                "type": "loop_invariant",
                "location": _location(invariant.place),
                "value": invariant.value,
                "format": "c_expression",
            }
        }
        for invariant in invariants
    ]
    return _document("invariant_set", entries, task)


def specification(properties: Sequence[str], entry: str) -> str:
    """Properties as SV-COMP writes them."""
    formulas = [formula for name in properties for formula in _SPECIFICATIONS.get(name, ())]
    return "\n".join(f"CHECK( init({entry}()), LTL({formula}) )" for formula in formulas)


def _document(kind: str, content: Sequence[Json], task: WitnessTask) -> str:
    hashes = {file: hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in task.files}
    entry: Json = {
        "entry_type": kind,
        "metadata": {
            "format_version": FORMAT_VERSION,
            "uuid": str(uuid.uuid4()),
            "creation_time": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "producer": {"name": "Kleene", "version": __version__},
            "task": {
                "input_files": list(task.files),
                "input_file_hashes": hashes,
                "specification": specification(task.properties, task.entry),
                "data_model": task.data_model,
                "language": "C",
            },
        },
        "content": list(content),
    }
    return str(yaml.safe_dump([entry], sort_keys=False, allow_unicode=True))


def _inputs(confirmed: Confirmed) -> list[Json]:
    """The return values of functions on the run: inputs, and null for failed allocations."""
    trace = confirmed.trace
    points: list[Json] = []
    ends = [step.input for step in trace.steps[1:]] + [len(trace.inputs)]
    for step, end in zip(trace.steps, ends, strict=True):
        for value, why in zip(trace.inputs[step.input : end], trace.reasons[step.input : end], strict=True):
            operation = step.operation
            if why.startswith(_NONDET):
                points.append(_return_waypoint(operation.place, why, value))
            elif isinstance(operation, Allocate | Realloc) and value == 0:
                points.append(_return_waypoint(operation.place, "", value))
    return points


def _return_waypoint(place: Place, name: str, value: int) -> Json:
    end = closing_parenthesis(place, name)
    return {
        "type": "function_return",
        "action": "follow",
        "location": _location(end) if end else {"file_name": place.file, "line": place.line},
        "constraint": {"value": f"\\result == {value}", "format": "acsl_expression"},
    }


def closing_parenthesis(place: Place, name: str) -> Place | None:
    """The end of the call that begins at or after a place; `name` is the function, if it is known."""
    lines = source_lines(place.file)[place.line - 1 : place.line - 1 + _LONGEST_CALL]
    if not lines:
        return None
    text = "\n".join(lines)
    start = character_column(place.file, place.line, place.column) - 1
    begin = text.find(name, start) if name else start
    opening = text.find("(", begin) if begin >= 0 else -1
    depth = 0
    for position in range(opening, len(text)) if opening >= 0 else ():
        depth += (text[position] == "(") - (text[position] == ")")
        if depth == 0:
            before = text[:position]
            line = place.line + before.count("\n")
            return Place(place.file, line, position - before.rfind("\n"), place.function)
    return None


def _location(place: Place) -> dict[str, Json]:
    column = character_column(place.file, place.line, place.column)
    return {"file_name": place.file, "line": place.line, "column": column, "function": place.function}
