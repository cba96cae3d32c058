"""The results of a batch: a line for each program as it ends, totals, JSON and a page."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kleene.core.verdict import Verdict, together
from kleene.diagnostics import visible

SCHEMA = "kleene.batch/1"
ERROR, CORRECT, WRONG, OPEN = "error", "correct", "wrong", "unknown"
_VERDICTS = tuple(map(str, Verdict))


@dataclass(frozen=True)
class BatchRow:
    """The result of one program, and its expected verdict."""

    file: str
    verdict: str
    expected: str | None
    status: str
    seconds: float
    properties: dict[str, str]
    findings: tuple[str, ...]
    reason: str | None

    @property
    def exit_code(self) -> int:
        """1 for an error that was not expected or a wrong verdict, 2 for bad input, 3 for UNKNOWN, else 0."""
        if self.status == ERROR:
            return 2
        if self.status == WRONG or (self.verdict == "FALSE" and self.expected is None):
            return 1
        return 3 if self.verdict == "UNKNOWN" else 0


def batch_row(file: str, stated: Mapping[str, str], document: Mapping[str, Any]) -> BatchRow:
    """A row from the JSON of a check; `stated` are the verdicts of properties that the program itself states."""
    properties = dict(document.get("properties", {}))
    pairs = [(verdict, properties[name]) for name, verdict in stated.items() if name in properties]
    pairs += [(e["expected"], e["verdict"]) for e in document.get("expected", ()) if e["expected"]]
    findings = tuple(
        f"{f['file']}:{f['line']}:{f['column']}: {f['kind']}: {f['message']}"
        for f in document.get("findings", ())
        if f["status"] == "confirmed"
    )
    findings += tuple(f"{_where(file, m)}: {m['text']}" for m in document.get("messages", ()))
    error = document.get("error")
    return BatchRow(
        file,
        document["verdict"],
        str(together([Verdict(wanted) for wanted, _ in pairs])) if pairs else None,
        ERROR if error else _status(pairs),
        document.get("statistics", {}).get("seconds", document["wall"]),
        properties,
        findings,
        error or document.get("reason"),
    )


def _where(file: str, message: Mapping[str, Any]) -> str:
    place = message["position"]
    return f"{place['file']}:{place['line']}:{place['column']}" if place else file


def _status(pairs: Sequence[tuple[str, str]]) -> str:
    """A wrong verdict of one property makes the whole wrong."""
    if any(verdict not in ("UNKNOWN", wanted) for wanted, verdict in pairs):
        return WRONG
    if any(verdict == "UNKNOWN" for _, verdict in pairs):
        return OPEN
    return CORRECT if pairs else "no expectation"


def batch_line(row: BatchRow) -> str:
    said = "" if row.expected is None else f"  (expected {row.expected}: {row.status})"
    verdict = "ERROR" if row.status == ERROR else row.verdict
    why = f": {row.reason.splitlines()[0]}" if row.reason and verdict != "FALSE" else ""
    return visible(f"{verdict:<8}{row.seconds:8.2f} s  {row.file}{said}{why}")


def batch_totals(rows: Sequence[BatchRow]) -> dict[str, Any]:
    verdicts = Counter("ERROR" if row.status == ERROR else row.verdict for row in rows)
    statuses = Counter(row.status for row in rows if row.expected is not None)
    return {
        "files": len(rows),
        **{name: verdicts[name] for name in (*_VERDICTS, "ERROR")},
        "expectations": {name: statuses[name] for name in (CORRECT, WRONG, OPEN)},
        "seconds": round(sum(row.seconds for row in rows), 3),
    }


def batch_summary(rows: Sequence[BatchRow], *, missing: int = 0) -> str:
    """The totals in words; the wrong ones are named once more."""
    totals = batch_totals(rows)
    counts = ", ".join(f"{totals[name]} {name}" for name in (*_VERDICTS, "ERROR") if totals[name])
    files = f"{totals['files']} program{'' if totals['files'] == 1 else 's'}"
    lines = [f"{files}: {counts or 'none checked'}; {totals['seconds']:.1f} s of analysis"]
    known = {name: count for name, count in totals["expectations"].items() if count}
    if known:
        lines.append("against what is expected: " + ", ".join(f"{count} {name}" for name, count in known.items()))
    lines += [
        f"wrong: {visible(row.file)}: {row.verdict}, expected {row.expected}" for row in rows if row.status == WRONG
    ]
    if missing:
        lines.append(f"{missing} not checked")
    return "\n".join(lines) + "\n"


def batch_json(rows: Sequence[BatchRow], *, missing: int = 0) -> str:
    """The documented form (docs/reference/batch-json.md)."""
    document = {
        "schema": SCHEMA,
        "results": [
            {
                "file": row.file,
                "verdict": row.verdict,
                "expected": row.expected,
                "status": row.status,
                "seconds": round(row.seconds, 3),
                "properties": row.properties,
                "findings": list(row.findings),
                "reason": row.reason,
            }
            for row in rows
        ],
        "totals": {**batch_totals(rows), "missing": missing},
    }
    return json.dumps(document, indent=2) + "\n"


def batch_html(rows: Sequence[BatchRow], *, missing: int = 0) -> str:
    """One self-contained page: wrong and open results first."""
    from kleene.report.pages import DEFAULT_DRAWING, Album, render  # Graphviz: only where a page is wanted

    order = {1: 0, 2: 1, 3: 2, 0: 3}
    shown = sorted(rows, key=lambda row: (order[row.exit_code], row.file))
    album = Album(DEFAULT_DRAWING, ())
    return render(
        "batch.html.j2",
        album,
        title="Kleene batch",
        legend=(),
        rows=shown,
        totals=batch_totals(rows),
        missing=missing,
    )
