"""Every program of `examples/c` says what is true of it; `kleene check`, gcc and its sanitizers must not contradict.

A FALSE property that is proved, or a TRUE one that is refuted, is a wrong result and fails hard. What is not decided
although no mark accepts it is a loss of precision; a mark that is no longer needed fails too, so that it is removed.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from compiled import HAS_COMPILER, compile_program
from marks import EXAMPLES, PROPERTIES, Program, programs

from kleene.analysis.c.check import check
from kleene.analysis.c.compiled_runs import execute, replay_findings
from kleene.cli.check_request import CheckRequest
from kleene.cli.commands.check import request_of_arguments
from kleene.results.check import CheckReport

TIMEOUT = 60.0
"""Seconds for each program."""
SHORT_TIMEOUT = 4.0
"""Seconds for programs of which a mark says that something is not decided: with --slow they get the full time."""
RANDOM_RUNS = 4
ALL = programs()
BY_NAME = {p.name: p for p in ALL}
NAMES = list(BY_NAME)


@pytest.fixture
def program(request: pytest.FixtureRequest) -> Program:
    found = BY_NAME[request.param]
    slow = request.config.getoption("--slow", default=False)
    if found.slow and not slow:
        pytest.skip("marked SLOW: run with --slow")
    return found


@pytest.fixture
def report(request: pytest.FixtureRequest, program: Program) -> CheckReport:
    return report_of(program.name, slow=bool(request.config.getoption("--slow", default=False)))


each = pytest.mark.parametrize("program", NAMES, indirect=True)


def request(program: Program) -> CheckRequest:
    """What the RUN line asks for, read as the command line is."""
    return request_of_arguments([*program.files, *program.options])


def malloc_may_fail(program: Program) -> bool:
    return request(program).options.read.malloc_may_fail


def report_of(name: str, *, slow: bool) -> CheckReport:
    """The result of a program with the options of its RUN line; properties of which nothing is known are left out."""
    program = BY_NAME[name]
    limit = SHORT_TIMEOUT if program.undecided and not slow else TIMEOUT
    asked = request(program)
    known = tuple(p for p in PROPERTIES if program.expected[p] != "ANY")
    return check(asked.files, replace(asked.options, properties=known, timeout=min(asked.options.timeout, limit)))


@each
def test_program(program: Program, report: CheckReport) -> None:
    """All that needs the result of `kleene check` in one test, so that it is computed once."""
    _verdicts_agree(program, report)
    _findings_are_where_the_marks_are(program, report)
    if HAS_COMPILER and report.traces:
        _findings_happen_when_compiled(program, report)


def _verdicts_agree(program: Program, report: CheckReport) -> None:
    got = {name: str(verdict) for name, verdict in report.properties.items()}
    wrong = [p for p in got if {got[p], program.expected[p]} == {"TRUE", "FALSE"}]
    assert not wrong, f"WRONG: {wrong} expected {program.expected}, got {got}"
    lost = [p for p in got if got[p] == "UNKNOWN" and p not in program.undecided]
    assert not lost, f"not decided: {lost}: {report.reason}"
    better = [p for p in sorted(program.undecided) if got[p] != "UNKNOWN"]
    assert not better, f"decided, although marked UNKNOWN: {better}; take the mark away"


def _findings_are_where_the_marks_are(program: Program, report: CheckReport) -> None:
    confirmed = {(f.kind, f.line) for f in report.findings if f.confirmed}
    assert confirmed <= program.fails, "a confirmed finding on a line without a FAILS mark"
    if not program.not_refuted:
        assert confirmed == program.fails


def _findings_happen_when_compiled(program: Program, report: CheckReport) -> None:
    """The inputs of every confirmed finding make the compiled program fail, as far as the sanitizers can see it."""
    asked = program.expected["unreach"] != "ANY"
    replays = replay_findings(report.traces[0].trace.program, report.traces, (), error_calls=asked)
    for shown, replay in zip(report.traces, replays, strict=True):
        seen = replay.status == "reproduced" or shown.fault.kind == "uninitialized_pointer"
        assert seen, f"{shown.fault} does not happen: {replay}"


@pytest.mark.skipif(not HAS_COMPILER, reason="there is no C compiler")
@pytest.mark.parametrize("name", [p.name for p in ALL if not p.buggy])
def test_random_runs_of_safe_programs(name: str, tmp_path: Path) -> None:
    program = BY_NAME[name]
    binary = compile_program(program, tmp_path)
    for seed in range(RANDOM_RUNS):
        run = execute(binary, seed=seed, malloc_may_fail=malloc_may_fail(program))
        assert not run.error, f"seed {seed}: {run.errors}"


@pytest.mark.parametrize("name", NAMES)
def test_marks_agree_with_each_other(name: str) -> None:
    program = BY_NAME[name]
    assert program.buggy == bool(program.fails)
    assert all(program.expected[p] == "TRUE" for p in program.imprecise)
    assert all(program.expected[p] == "FALSE" for p in program.not_refuted)
    assert program.about


def test_the_table_of_the_readme_is_complete() -> None:
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert [p.name for p in ALL if f"]({p.name}.c)" not in text] == []
    for program in ALL:
        verdicts = " | ".join(program.expected[p] + "*" * (p in program.undecided) for p in PROPERTIES)
        assert f"]({program.name}.c) | {program.about} | {verdicts} |" in text, program.name
