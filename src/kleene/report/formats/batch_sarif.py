"""The findings of a batch as one SARIF document: of C programs with their runs, of TVP programs their messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kleene.core.verdict import Finding, Verdict
from kleene.report.batch_report import ERROR, BatchRow
from kleene.report.findings.baseline import compare
from kleene.report.findings.view import FindingView, fingerprint
from kleene.report.findings.view_json import view_of
from kleene.report.formats.sarif import Notification, SarifRun, sarif_text

_MESSAGE = "tvp_message"


def batch_sarif(results: Sequence[tuple[BatchRow, Mapping[str, Any]]]) -> str:
    """All findings; bad input and UNKNOWN are notifications. Comments in the sources may suppress findings."""
    run = SarifRun()
    for row, document in results:
        views: dict[str, FindingView] = {}
        for entry in document.get("findings", ()):
            view = view_of(entry)
            views.setdefault(str(view.finding), view)
        run.views += compare(list(views.values()), None)
        run.views += [_message(row.file, entry) for entry in document.get("messages", ())]
        undecided = [name for name, verdict in row.properties.items() if verdict == str(Verdict.UNKNOWN)]
        run.open_properties[row.file] = undecided
        if row.status == ERROR:
            run.notifications.append(Notification(f"{row.file}: {row.reason}", is_error=True))
        elif row.verdict == str(Verdict.UNKNOWN):
            run.notifications.append(Notification(f"{row.file}: UNKNOWN: {row.reason}"))
    return sarif_text(run)


def _message(file: str, entry: Mapping[str, Any]) -> FindingView:
    """A message of a TVP program; it is sure where its condition is 1 on a structure."""
    place = entry["position"] or {"file": file, "line": 1, "column": 1}
    status = "confirmed" if entry["definite"] else "possible"
    finding = Finding(_MESSAGE, place["file"], place["line"], place["column"], "", status, entry["text"])
    return FindingView(finding, (), (), f"{fingerprint(finding)}:1")
