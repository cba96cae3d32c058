"""Every one-line bug in a client of a container is shown by a run in the time that a person waits."""

from __future__ import annotations

import pytest
from tests.clients.bugs import BUGS, PROGRAMS, Bug, check_text, shown_kinds

from kleene.core.verdict import Verdict


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: f"{bug.program}: {bug.name}")
def test_a_run_shows_the_bug(bug: Bug) -> None:
    report = check_text(bug.text, bug.program, malloc_may_fail=bug.malloc_may_fail)
    if not bug.is_shown:
        assert report.verdict is not Verdict.TRUE
        return
    assert report.verdict is Verdict.FALSE, report.reason
    assert shown_kinds(report) & bug.kinds


@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.c")), ids=lambda path: path.stem)
def test_the_program_itself_has_no_error(path) -> None:
    """Else a bug would show nothing."""
    report = check_text(path.read_text(encoding="utf-8"), path.name, malloc_may_fail=False, seconds=10.0)
    assert report.verdict is not Verdict.FALSE, [str(finding) for finding in report.findings]
