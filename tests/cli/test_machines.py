"""The machines through the command line: the same reports, limits that act at once, bad input refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from kleene.cli import run_main
from kleene.diagnostics import Limit, LimitReached
from kleene.structures.machine import native_is_built

ROOT = Path(__file__).resolve().parents[2]
TVP = ROOT / "examples" / "tvp"
NEEDS_NATIVE = pytest.mark.skipif(not native_is_built(), reason="the native machine is not built")


def _kleene(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from kleene.cli import main; main()", *arguments]
    return subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, cwd=ROOT)


def _without_times(document: dict[str, Any]) -> dict[str, Any]:
    del document["seconds"]
    document["totals"] = {k: v for k, v in document["totals"].items() if "memory" not in k and "second" not in k}
    return document


RUNS = (
    ("sll/delete", ()),
    ("features/messages", ("--explain", "L1")),
    ("features/ternary", ("--join", "rel")),
    ("features/single", ()),
    ("features/clone", ("--order", "tvla")),
    ("features/new_formula", ("--join", "ind")),
    ("features/retain", ("--self-check",)),
    ("features/tree_rotate", ("--join", "part_embedding")),
    ("derived/careless", ()),
    ("sll/insert", ("--significant",)),
)


@NEEDS_NATIVE
@pytest.mark.parametrize(("name", "options"), RUNS, ids=[name for name, _ in RUNS])
def test_reports_are_equal(
    name: str,
    options: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """JSON and TVS of a run: structures, messages, counts, warnings, explanations."""
    if "--explain" in options:
        text = (TVP / f"{name}.tvp").read_text(encoding="utf-8")
        options = ("--explain", text.rsplit("%%", 1)[1].split()[0])
    reports = []
    for machine in ("python", "native"):
        monkeypatch.setenv("KLEENE_MACHINE", machine)
        tvs, target = tmp_path / f"{machine}.tvs", tmp_path / f"{machine}.json"
        outputs = ("--tvs", str(tvs), "--json", str(target), "--quiet")
        code = run_main(["run", str(TVP / name), *options, "--machine", machine, *outputs])
        document = _without_times(json.loads(target.read_text(encoding="utf-8")))
        reports.append((code, capfd.readouterr().err, document, tvs.read_text(encoding="utf-8")))
    assert reports[0] == reports[1]


def test_the_python_machine_needs_nothing_else() -> None:
    """As where the native machine was not built: `kleene._native` cannot be imported."""
    code = "import sys; sys.modules['kleene._native'] = None\nfrom kleene.cli import main; main()"
    for arguments in (["run", str(TVP / "sll/reverse"), "--quiet"], ["check", "examples/c/sll/search.c"]):
        done = subprocess.run([sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    done = subprocess.run([sys.executable, "-c", code, "--version"], cwd=ROOT, capture_output=True, text=True)
    assert "the native machine was not built" in done.stdout
    done = subprocess.run(
        [sys.executable, "-c", code, "run", str(TVP / "sll/reverse"), "--machine", "native"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "was not built" in done.stderr


def test_choices_are_checked() -> None:
    assert _kleene("run", str(TVP / "sll/reverse"), "--machine", "abacus").returncode == 2
    assert _kleene("run", str(TVP / "sll/reverse"), "--threads", "0").returncode == 2
    done = _kleene("run", str(TVP / "sll/reverse"), KLEENE_MACHINE="abacus")
    assert (done.returncode, "KLEENE_MACHINE" in done.stderr) == (2, True)
    done = _kleene("run", str(TVP / "sll/reverse"), KLEENE_THREADS="many")
    assert (done.returncode, "KLEENE_THREADS" in done.stderr) == (2, True)


@NEEDS_NATIVE
@pytest.mark.parametrize("threads", [1, 3])
def test_a_signal_stops_a_batch_in_its_middle(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a signal handler raises arrives within 0.2 s of the processor's time, however large the batch is."""
    from kleene.analysis.tvp.options import RunOptions
    from kleene.analysis.tvp.run import prepare
    from kleene.structures.tvs_reader import read_tvs
    from kleene.tvp.program import load_program

    monkeypatch.setenv("KLEENE_MACHINE", "native")
    monkeypatch.setenv("KLEENE_THREADS", str(threads))
    program = load_program(TVP / "sll/insert.tvp")
    analysis = prepare(program, RunOptions())
    given = read_tvs(TVP / "sll/insert.tvs", program.vocabulary).structures
    start = list(analysis.domain.initial([s.structure for s in given]))
    edge = analysis.cfa.edges[0]
    analysis.domain.post(edge, start)  # compiled now
    raised: list[float] = []

    def stop(number: int, frame: FrameType | None) -> None:
        raised.append(time.process_time())
        raise LimitReached("the time limit was reached", Limit.TIME)

    batch = start * 600_000
    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(LimitReached):
            while True:  # until the signal comes, which is in the middle of a batch
                analysis.domain.post(edge, batch)
        assert time.process_time() - raised[0] < 0.2 * threads + 1.0  # the rest is the list of handles, given back
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@NEEDS_NATIVE
def test_what_does_not_fit_is_refused() -> None:
    """Programs and structures are checked where they are given to the module: none of these may crash it."""
    from array import array

    from kleene import _native

    signature = _native.Signature([1, 1, 1, 2, 0, 1, 2])
    number = {name: k for k, name in enumerate(_native.OPERATIONS)}

    def program(*words: int, outputs: tuple[tuple[int, int], ...] = (), rails: tuple[int, ...] = ()) -> None:
        _native.Program(signature, array("H", words).tobytes(), rails, outputs)

    bad = [
        lambda: _native.Signature([1, 1]),
        lambda: _native.Signature([1, 1, 1, 2, 4]),
        lambda: program(999, 0, 0, 0, 0),
        lambda: program(number["and_v"], 0, 0, _native.TEMPORARY | 5, 0),
        lambda: program(number["and_v"], 0, 0, 6, 0),  # a matrix where a vector is wanted
        lambda: program(number["and_v"], 0, 0, 4000, 0),
        lambda: program(number["node"], 200, 0, 0, 0),
        lambda: program(number["and_v"], 0, 40_000, 0, 0),
        lambda: program(number["permute_t"], 0, 0, 0, 0),
        lambda: program(number["zero_v"], 0),
        lambda: program(outputs=((0, 2),)),
        lambda: program(outputs=((-1, 1),)),
        lambda: program(outputs=((3, 1),), rails=(0, 1)),
        lambda: _native.Handle(signature, 2, [0] * 13),
        lambda: _native.Handle(signature, 2, [4] + [0] * 13),
        lambda: _native.Handle(signature, 2, [0] * 13 + [1 << 40]),
        lambda: _native.Handle(signature, 2, [0] * 8 + [2] + [0] * 5),
        lambda: _native.Handle(signature, _native.MOST_NODES + 1, [0] * 14),
        lambda: _native.Handle(signature, 200, [1 << 200] + [0] * 13),
        lambda: _native.Handle(signature, 300, [0] * 6 + [1 << 300] + [0] * 7),
        lambda: _native.Handle(signature, -1, [0] * 14),
        lambda: _native.Store(signature, "rel", [6], []),
        lambda: _native.Store(signature, "j3", [], []),
        lambda: _native.Store(signature, "part", [], [99]),
        lambda: _native.Rules(signature, -1, [], [], [], [], []),
        lambda: _native.Rules(signature, 1, [[0]] * 14, [[1]] * 14, [], [], []),
    ]
    for attempt in bad:
        with pytest.raises((ValueError, OverflowError, TypeError)):
            attempt()
    handle = _native.Handle(signature, 2, [0] * 14)
    batch, other = _native.Batch(signature, [handle]), _native.Signature([1, 1, 1, 2])
    for attempt in (
        lambda: _native.Batch(other, [handle]),
        lambda: _native.Store(other, "rel", [], []).add(batch),
        lambda: _native.Store(other, "rel", [], []).united([batch], False),
    ):
        with pytest.raises(ValueError, match="another signature"):
            attempt()
    for first, last in ((0, 2), (1, 0)):
        with pytest.raises(ValueError, match="not so many"):
            batch.slice(first, last)
    with pytest.raises(ValueError, match="no node"):
        _native.Program(signature, array("H", (number["node"], 0, 0, 0, 0)).tobytes(), (), ((0x8000, 1),)).run(
            handle, [7]
        )
