"""Findings with their runs to JSON and back, so that a batch can write reports from stored results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kleene.cfa.operations import Place
from kleene.core.plain_json import Json
from kleene.core.verdict import Finding
from kleene.report.findings.view import FindingView, FlowStep, Note


def view_document(view: FindingView) -> dict[str, Json]:
    """The additions of a view to the JSON of its finding."""
    return {
        "steps": [{**_place(s.place), "text": s.text, "depth": s.depth, "heap": s.heap} for s in view.flow],
        "notes": [{**_place(n.place), "text": n.text} for n in view.notes],
        "calls": list(view.calls),
        "statement": view.statement or None,
        "fingerprint": view.fingerprint,
        "suppressed": view.suppressed,
        "known": view.is_known,
    }


def view_of(document: Mapping[str, Any]) -> FindingView:
    """The view in the JSON of a finding."""
    finding = Finding(
        document["kind"],
        document["file"],
        document["line"],
        document["column"],
        document["function"],
        document["status"],
        document["message"],
        (),
        tuple(document["inputs"]),
    )
    flow = tuple(FlowStep(_read_place(s), s["depth"], s["text"], s["heap"]) for s in document["steps"])
    notes = tuple(Note(_read_place(n), n["text"]) for n in document["notes"])
    return FindingView(
        finding,
        flow,
        notes,
        document["fingerprint"],
        document["suppressed"],
        is_known=document["known"],
        calls=tuple(document["calls"]),
        statement=document["statement"] or "",
    )


def _place(place: Place) -> dict[str, Json]:
    return {"file": place.file, "line": place.line, "column": place.column, "function": place.function}


def _read_place(document: Mapping[str, Any]) -> Place:
    return Place(document["file"], document["line"], document["column"], document["function"])
