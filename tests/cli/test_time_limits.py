"""`--timeout` holds on programs of which one step takes long, in every mode, and is reported as it was given."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hostile_programs import HOSTILE

from kleene.analysis.c.check import check
from kleene.analysis.c.contracts import check_contracts
from kleene.analysis.limits import Watchdog, within
from kleene.cli.commands.check import request_of_arguments
from kleene.core.verdict import Verdict
from kleene.diagnostics import LimitReached
from kleene.results.check import CheckReport

LIMIT = 2
"""Seconds that are asked for."""
SLACK = 1.0
"""Seconds of this process, of the processor, that a check may take beyond the limit."""
MODES = {"all": (), "fesa": ("--domain", "fesa"), "refine": ("--refine",), "contracts": ("--contracts",)}


def report_of(path: Path, mode: str) -> CheckReport:
    arguments = [str(path), "--timeout", str(LIMIT), *MODES[mode]]
    request = request_of_arguments(arguments)
    return (check_contracts if mode == "contracts" else check)(request.files, request.options)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", HOSTILE)
def test_the_limit_holds(tmp_path: Path, name: str, mode: str) -> None:
    """A limit of 20 s ran past 75 s: translation, inlining and reading did not look at the clock."""
    path = tmp_path / "hostile.c"
    path.write_text(HOSTILE[name](), encoding="utf-8")
    start = time.process_time()
    report = report_of(path, mode)
    assert time.process_time() - start < LIMIT + SLACK
    if report.verdict is Verdict.UNKNOWN and "time limit" in report.reason:
        assert f"time limit of {LIMIT} s" in report.reason


def _spin(seconds: float) -> str:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass
    return "done"


def test_watchdogs_nest() -> None:
    """The inner one switched the timer off for the outer one when it ended."""
    start = time.monotonic()

    def nested() -> str:
        assert within(0.05, lambda: "quick") == "quick"
        assert isinstance(within(0.1, lambda: _spin(5)), LimitReached)
        return _spin(10)

    outcome = within(0.5, nested, stated="half a second")
    assert isinstance(outcome, LimitReached)
    assert "half a second" in str(outcome)
    assert time.monotonic() - start < 3


def test_the_outer_limit_ends_the_inner_block() -> None:
    start = time.monotonic()
    with pytest.raises(LimitReached), Watchdog(0.2, None), Watchdog(60, None):
        _spin(10)
    assert time.monotonic() - start < 3
