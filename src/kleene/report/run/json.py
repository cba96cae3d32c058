"""The result of a run as JSON: the schema `kleene.run/1`, documented in docs/reference/json.md.

Keys come in a fixed order and structures sorted, so equal results are equal bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.resources import files
from typing import Any

from kleene.diagnostics import Position
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.report.run.result import Explanation, LocationReport, MessageReport, QueryAnswer, RunReport
from kleene.structures.layout import Layout
from kleene.structures.structure import Structure
from kleene.structures.tvs_writer import structure_order

RUN_SCHEMA = "kleene.run/1"

Json = dict[str, Any]

_NODE_PREDICATES = ("sm", "ac")
"""Predicates that are written as lists of nodes."""
_VOCABULARIES = 8
"""Vocabularies whose predicates are remembered as text: a result has one."""
_TEXTS = 1 << 16
"""Values whose text is remembered: some 20 MiB."""


def run_json(report: RunReport, *, structures: bool = True) -> str:
    """The JSON text, one line break at its end. Without `structures`, only their numbers are written."""
    return "".join(run_json_lines(report, structures=structures))


def run_json_lines(report: RunReport, *, structures: bool = True) -> Iterator[str]:
    """The same text line by line, for writing while it is made."""
    document = _without_structures(report)
    if structures:
        shown = {x.name: sorted(x.structures, key=structure_order) for x in report.locations}
        document |= _with_structures(report, shown)
    return (f"{line}\n" for line in _lines(document, 0, "", ""))


def run_document(report: RunReport, *, structures: bool = True) -> Json:
    """The same as plain dictionaries, lists, strings and numbers."""
    document = _without_structures(report)
    if structures:
        shown = {
            x.name: [structure_document(s) for s in sorted(x.structures, key=structure_order)] for x in report.locations
        }
        document |= _with_structures(report, shown)
    return document


def _without_structures(report: RunReport) -> Json:
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
    return document


def _with_structures(report: RunReport, shown: Json) -> Json:
    return {
        "vocabulary": [_predicate(p) for p in _predicates(report)],
        "structures": shown,
        "explanations": [_explanation(e) for e in report.explanations],
    }


def _answer(answer: QueryAnswer) -> Json:
    path = [{"action": action, "location": state[0], "structure": state[1] + 1} for action, state in answer.path]
    return {"query": answer.query, "holds": answer.holds, "path": path}


def json_text(document: Json) -> str:
    """JSON for people and programs: one line for each location, edge, predicate and structure."""
    return "\n".join(_lines(document, 0, "", "")) + "\n"


def _lines(value: Any, depth: int, key: str, end: str) -> Iterator[str]:
    """The outer levels are spread over lines; below them everything is on one line."""
    indent = " " * depth + key
    if not value or not isinstance(value, (dict, list)) or depth > 2 or (depth == 2 and not _is_long(value)):
        text = structure_json(value) if isinstance(value, Structure) else json.dumps(value, ensure_ascii=False)
        yield indent + text + end
        return
    pairs = isinstance(value, dict)
    yield indent + ("{" if pairs else "[")
    last = len(value) - 1
    for number, item in enumerate(value):
        inner_key = json.dumps(item, ensure_ascii=False) + ": " if pairs else ""
        yield from _lines(value[item] if pairs else item, depth + 1, inner_key, "," if number < last else "")
    yield " " * depth + ("}" if pairs else "]") + end


def _is_long(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(item, (dict, Structure)) for item in value)


def structure_json(structure: Structure) -> str:
    """The text of `structure_document`, made from parts that many structures share."""
    text = structure.text("json", _columns)
    if text is not None:
        return text
    layout, values = structure.layout, structure.values
    predicates = []
    for place, arity, name in _columns(structure.vocabulary):
        may = values[2 * place + 1]
        if may:
            predicates.append(name + _value_json(layout, arity, values[2 * place], may))
    names = f'"names": {json.dumps(list(structure.names), ensure_ascii=False)}, ' if structure.names else ""
    summary, maybe = _summary_and_maybe_active(structure)
    return (
        f'{{"nodes": {structure.size}, {names}"summary": {summary}, "maybe_active": {maybe}, '
        f'"predicates": {{{", ".join(predicates)}}}}}'
    )


@lru_cache(maxsize=_VOCABULARIES)
def _columns(vocabulary: Vocabulary) -> tuple[tuple[int, int, str], ...]:
    """The predicates that are written: place, arity, and the text before the value."""
    return tuple(
        (place, p.arity, json.dumps(p.name, ensure_ascii=False) + ": ")
        for place, p in enumerate(vocabulary)
        if p.name not in _NODE_PREDICATES
    )


@lru_cache(maxsize=_TEXTS)
def _value_json(layout: Layout, arity: int, must: int, may: int) -> str:
    groups = (("1", must), ("1/2", may & ~must))
    shown = [f'"{text}": {list(map(list, layout.tuples(rail, arity)))}' for text, rail in groups if rail]
    return f"{{{', '.join(shown)}}}"


def _summary_and_maybe_active(structure: Structure) -> tuple[list[int], list[int]]:
    summary = [node for node in structure.nodes if structure.is_summary(node)]
    return summary, [node for node in structure.nodes if structure.is_maybe_active(node)]


def structure_document(structure: Structure) -> Json:
    """A structure. Its nodes are the numbers 0 .. nodes - 1; tuples that are not listed have the value 0."""
    document: Json = {"nodes": structure.size}
    if structure.names:
        document["names"] = list(structure.names)
    document["summary"], document["maybe_active"] = _summary_and_maybe_active(structure)
    document["predicates"] = {}
    for p in structure.vocabulary:
        if p.name in _NODE_PREDICATES:
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
