"""One check of a C program in a process of its own: prints findings with their runs, and the shapes at each line."""

from __future__ import annotations

import json
import sys
from typing import Any

from kleene.batch import child

START = "from kleene.cli.lsp.checked import main; main()"
"""What the interpreter of the process runs; its arguments are those of `kleene check`."""


def main() -> None:
    """Read the arguments, check, and print one JSON document."""
    child.start()
    from kleene.diagnostics import InputError, KleeneError

    try:
        document = _outcome(sys.argv[1:])
    except InputError as error:
        document = {"errors": [_error(d.message, d.position) for d in error.diagnostics]}
    except KleeneError as error:
        document = {"errors": [_error(str(error), None)]}
    sys.stdout.write(json.dumps(document))


def _error(message: str, position: Any) -> dict[str, Any]:
    if position is None:
        return {"message": message, "file": "", "line": 1, "column": 1}
    return {"message": message, "file": position.file, "line": position.line, "column": position.column}


def _outcome(arguments: list[str]) -> dict[str, Any]:
    from kleene.analysis.c.check import check
    from kleene.analysis.c.shapes_shown import shapes_by_line
    from kleene.cli.commands.check import request_of_arguments
    from kleene.report.findings.view import finding_views
    from kleene.report.findings.view_json import view_document

    request = request_of_arguments(arguments)
    report = check(request.files, request.options)
    views = finding_views(report.findings, report.traces)
    findings = [
        {
            "kind": v.finding.kind,
            "file": v.finding.file,
            "line": v.finding.line,
            "column": v.finding.column,
            "message": v.finding.message,
            "confirmed": v.finding.confirmed,
            **view_document(v),
        }
        for v in views
    ]
    lines = [
        {
            "file": line.file,
            "line": line.line,
            "function": line.function,
            "count": line.count,
            "words": list(dict.fromkeys(shape.words for shape in line.shapes)),
        }
        for line in shapes_by_line(report)
    ]
    return {
        "verdict": str(report.verdict),
        "reason": report.reason,
        "proved_by": report.proved_by,
        "findings": findings,
        "lines": lines,
    }
