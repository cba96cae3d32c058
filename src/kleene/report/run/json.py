"""The result of a run as JSON: the schema `kleene.run/1`, documented in docs/reference/json.md.

Keys come in a fixed order and structures sorted, so equal results are equal bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

from kleene.diagnostics import Position
from kleene.logic.vocabulary import Predicate
from kleene.report.run.result import Explanation, LocationReport, MessageReport, QueryAnswer, RunReport
from kleene.structures.structure import Structure
from kleene.structures.tvs_writer import structure_order

RUN_SCHEMA = "kleene.run/1"

Json = dict[str, Any]


def run_json(report: RunReport, *, structures: bool = True) -> str:
    """The JSON text, one line break at its end. Without `structures`, only their numbers are written."""
    return json_text(run_document(report, structures=structures))


def run_document(report: RunReport, *, structures: bool = True) -> Json:
    """The same as plain dictionaries, lists, strings and numbers."""
    document: Json = {
        "schema": RUN_SCHEMA,
        "program": report.program,
        "verdict": report.verdict,
        "reason": report.reason,
        "locations": {location.name: _location(location) for location in report.locations},
        "totals": _totals(report),
        "seconds": {phase: round(value, 6) for phase, value in sorted(report.seconds.items())},
        "warnings": list(report.warnings),
        "options": dict(sorted(report.options.items())),
        "entry": report.entry,
        "edges": [{"source": source, "action": action, "target": target} for source, action, target in report.edges],
        "shown_locations": list(report.shown_locations),
    }
    if report.answers:
        document["queries"] = [_answer(a) for a in report.answers]
    if structures:
        document["vocabulary"] = [_predicate(p) for p in _predicates(report)]
        document["structures"] = {
            location.name: [structure_document(s) for s in sorted(location.structures, key=structure_order)]
            for location in report.locations
        }
        document["explanations"] = [_explanation(e) for e in report.explanations]
    return document


def _answer(answer: QueryAnswer) -> Json:
    path = [{"action": action, "location": state[0], "structure": state[1] + 1} for action, state in answer.path]
    return {"query": answer.query, "holds": answer.holds, "path": path}


def json_text(document: Json) -> str:
    """JSON for people and programs: one line for each location, edge, predicate and structure."""
    return "\n".join(_lines(document, 0)) + "\n"


def _lines(value: Any, depth: int) -> list[str]:
    """The outer levels are spread over lines; below them everything is on one line."""
    spread = bool(value) and isinstance(value, (dict, list)) and (depth < 2 or (depth == 2 and _is_long(value)))
    if not spread:
        return [json.dumps(value, ensure_ascii=False)]
    pairs = isinstance(value, dict)
    items: Iterable[tuple[str, Any]] = value.items() if pairs else (("", item) for item in value)
    blocks = []
    for key, item in items:
        inner = _lines(item, depth + 1)
        inner[0] = (json.dumps(key, ensure_ascii=False) + ": " if pairs else "") + inner[0]
        blocks.append([" " + line for line in inner])
    for block in blocks[:-1]:
        block[-1] += ","
    start, end = "{}" if pairs else "[]"
    return [start, *(line for block in blocks for line in block), end]


def _is_long(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(item, dict) for item in value)


def structure_document(structure: Structure) -> Json:
    """A structure. Its nodes are the numbers 0 .. nodes - 1; tuples that are not listed have the value 0."""
    document: Json = {"nodes": structure.size}
    if structure.names:
        document["names"] = list(structure.names)
    document["summary"] = [node for node in structure.nodes if structure.is_summary(node)]
    document["maybe_active"] = [node for node in structure.nodes if structure.is_maybe_active(node)]
    document["predicates"] = {}
    for p in structure.vocabulary:
        if p.name in ("sm", "ac"):
            continue
        values: dict[str, list[list[int]]] = {}
        for nodes, value in sorted(structure.entries(p.name), key=lambda entry: (-entry[1].value, entry[0])):
            values.setdefault(str(value), []).append(list(nodes))
        if values:
            document["predicates"][p.name] = values
    return document


def schema(name: str = "run") -> Json:
    """The JSON Schema (2020-12) of a document that Kleene writes."""
    text = (files("kleene.report") / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8")
    loaded: Json = json.loads(text)
    return loaded


def _location(location: LocationReport) -> Json:
    return {
        "structures": len(location.structures),
        "max_nodes": location.max_nodes,
        "messages": [_message(m) for m in sorted(location.messages, key=lambda m: (m.text, m.action))],
    }


def _message(message: MessageReport) -> Json:
    return {
        "text": message.text,
        "count": message.count,
        "definite": message.definite,
        "action": message.action,
        "position": _position(message.position),
    }


def _position(position: Position | None) -> Json | None:
    if position is None:
        return None
    return {"file": position.file, "line": position.line, "column": position.column}


def _totals(report: RunReport) -> Json:
    counts = report.statistics
    rate = report.structures_per_second
    return {
        "stored": counts.stored,
        "generated": counts.generated,
        "messages": counts.messages,
        "constraints": counts.constraints,
        "iterations": counts.iterations,
        "discarded": counts.discarded,
        "max_nodes": counts.max_nodes,
        "peak_memory_bytes": counts.peak_memory_bytes,
        "structures_per_second": None if rate is None else round(rate, 1),
    }


def _predicates(report: RunReport) -> Iterable[Predicate]:
    """The predicates of all structures, in order of declaration."""
    by_name: dict[str, Predicate] = {}
    seen = None
    for structure in _all_structures(report):
        if structure.vocabulary is not seen:
            seen = structure.vocabulary
            by_name |= {p.name: p for p in seen}
    return by_name.values()


def _all_structures(report: RunReport) -> Iterable[Structure]:
    for location in report.locations:
        yield from location.structures
    for explanation in report.explanations:
        yield explanation.structure


def _predicate(p: Predicate) -> Json:
    return {
        "name": p.name,
        "arity": p.arity,
        "abstraction": p.abstraction,
        "pointer": p.pointer,
        "properties": sorted(p.properties),
        "definition": None if p.definition is None else str(p.definition),
    }


def _explanation(explanation: Explanation) -> Json:
    return {
        "location": explanation.location,
        "source": explanation.source,
        "action": explanation.action,
        "structure": structure_document(explanation.structure),
        "stages": [
            {
                "name": stage.name,
                "structures": [
                    {"structure": structure_document(s), "discarded": reason} for s, reason in stage.structures
                ],
            }
            for stage in explanation.stages
        ],
    }
