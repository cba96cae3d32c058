"""The results of a batch as JUnit XML, which continuous-integration servers show: one test case for each program."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from kleene.report.batch_report import ERROR, BatchRow

_FAILURE, _OPEN = 1, 3
"""Exit codes of a row."""


def batch_junit(rows: Sequence[BatchRow], *, missing: int = 0) -> str:
    """A failure is an error that was not expected or a wrong verdict; bad input is an error; UNKNOWN is skipped."""
    suite = ElementTree.Element(
        "testsuite",
        name="kleene batch",
        tests=str(len(rows) + missing),
        failures=str(sum(row.exit_code == _FAILURE for row in rows)),
        errors=str(sum(row.status == ERROR for row in rows)),
        skipped=str(sum(row.exit_code == _OPEN for row in rows) + missing),
        time=f"{sum(row.seconds for row in rows):.3f}",
    )
    for row in rows:
        case = ElementTree.SubElement(
            suite, "testcase", name=_clean(row.file), classname="kleene", time=f"{row.seconds:.3f}"
        )
        _outcome(case, row)
    for number in range(missing):
        case = ElementTree.SubElement(suite, "testcase", name=f"not checked {number + 1}", classname="kleene")
        ElementTree.SubElement(case, "skipped", message="the batch was interrupted")
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _outcome(case: ElementTree.Element, row: BatchRow) -> None:
    reason = _clean(row.reason or "")
    if row.status == ERROR:
        ElementTree.SubElement(case, "error", message=reason.split("\n")[0]).text = reason
    elif row.exit_code == _FAILURE:
        expected = f", expected {row.expected}" if row.expected else ""
        failure = ElementTree.SubElement(case, "failure", message=f"{row.verdict}{expected}")
        failure.text = _clean("\n".join(row.findings))
    elif row.exit_code == _OPEN:
        ElementTree.SubElement(case, "skipped", message=f"UNKNOWN: {reason.splitlines()[0] if reason else ''}")


def _clean(text: str) -> str:
    """Without the characters that XML has no way to write; a hostile file name may contain them."""
    return "".join(c if c in "\t\n" or (ord(c) >= 32 and not 0xD800 <= ord(c) < 0xE000) else "?" for c in text)
