"""Results that are kept: taken again while nothing changes, whole after SIGKILL, one clear line for a damaged file."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.batch.programs import HARD, LEAK, SAFE, write

from kleene.batch import engines
from kleene.batch.store import DATABASE, ResultStore
from kleene.batch.task import Limits, Task
from kleene.cli import run_main
from kleene.diagnostics import UsageError
from slices import in_exam

COUNT = 5


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The keys of the tasks that were run, not taken from the store."""
    keys: list[str] = []
    plain = engines.run_task

    def counted(task: Task, *rest: Any) -> dict[str, Any]:
        keys.append(task.key)
        return plain(task, *rest)

    monkeypatch.setattr(engines, "run_task", counted)
    return keys


def rows(folder: Path) -> int:
    if not (folder / DATABASE).exists():
        return 0
    connection = sqlite3.connect(folder / DATABASE)
    try:
        return int(connection.execute("SELECT count(*) FROM results").fetchone()[0])
    except sqlite3.OperationalError:  # the table is not there yet
        return 0
    finally:
        connection.close()


def test_results_are_taken_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "p", a_c=SAFE, b_c=LEAK)
    assert run_main(["batch", "p", "--output", "out"]) == 1
    first = capsys.readouterr().out
    assert len(runs) == 2
    assert run_main(["batch", "p", "--output", "out"]) == 1
    assert sorted(capsys.readouterr().out.splitlines()) == sorted(first.splitlines())
    assert len(runs) == 2
    write(tmp_path / "p", a_c=SAFE + "// changed\n")
    run_main(["batch", "p", "--output", "out"])
    assert len(runs) == 3


def test_unknown_is_tried_again_only_with_more_time(tmp_path: Path, runs: list[str]) -> None:
    write(tmp_path, a_c=HARD)
    for timeout, count in (("0.5", 1), ("0.5", 1), ("0.4", 1), ("0.6", 2)):
        assert run_main(["batch", str(tmp_path / "a.c"), "--output", str(tmp_path / "o"), "--timeout", timeout]) == 3
        assert len(runs) == count


def test_a_batch_goes_on_after_sigkill(tmp_path: Path, runs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    folder, output = tmp_path / "p", tmp_path / "out"
    write(folder, **{f"p{n}_c": SAFE + f"// {n}\n" for n in range(COUNT)})
    words = ["batch", str(folder), "--output", str(output), "--jobs", "1"]
    start = [sys.executable, "-c", "from kleene.cli import main; main()", *words]
    process = subprocess.Popen(start, stdout=subprocess.DEVNULL, start_new_session=True)
    end = time.monotonic() + 120
    while rows(output) < 2 and time.monotonic() < end:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    kept = rows(output)
    assert 2 <= kept < COUNT
    assert run_main(words) == 0
    assert f"{COUNT} programs: {COUNT} TRUE" in capsys.readouterr().out
    assert len(runs) == COUNT - kept and rows(output) == COUNT


MANY = 300
KILLS = 5


@in_exam
def test_hundreds_of_programs_are_killed_again_and_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The batch is killed with SIGKILL at five moments; nothing is lost, and nothing is checked or counted twice."""
    folder, output = tmp_path / "p", tmp_path / "out"
    write(folder, **{f"p{n:03}_c": (LEAK if n % 10 == 0 else SAFE) + f"// {n}\n" for n in range(MANY)})
    words = ["batch", str(folder), "--output", str(output), "--jobs", "2", "--quiet"]
    start = [sys.executable, "-c", "from kleene.cli import main; main()", *words]
    kept = 0
    for kill in range(1, KILLS + 1):
        process = subprocess.Popen(start, stdout=subprocess.DEVNULL, start_new_session=True)
        end = time.monotonic() + 600
        while rows(output) < kill * MANY // (KILLS + 2) and time.monotonic() < end:
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert kept < rows(output) < MANY, "a killed batch has what it had, and more"
        kept = rows(output)
    report = tmp_path / "all.json"
    assert run_main([*words, "--json", str(report)]) == 1
    results = json.loads(report.read_text())["results"]
    assert sorted(Path(r["file"]).name for r in results) == [f"p{n:03}.c" for n in range(MANY)]
    assert sum(r["verdict"] == "FALSE" for r in results) == MANY // 10
    assert rows(output) == MANY


def test_a_check_ends_when_its_batch_is_killed(tmp_path: Path) -> None:
    """A check of a batch that was killed with SIGKILL went on until its own limit."""
    write(tmp_path, a_c=HARD)
    words = ["batch", str(tmp_path / "a.c"), "--timeout", "100"]
    process = subprocess.Popen([sys.executable, "-c", "from kleene.cli import main; main()", *words])
    end = time.monotonic() + 60
    while not (children := _children(process.pid)) and time.monotonic() < end:
        time.sleep(0.1)
    assert children
    time.sleep(2)  # until it watches its parent
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    while any(map(_is_alive, children)) and time.monotonic() < end:
        time.sleep(0.1)
    assert not any(map(_is_alive, children))


def _children(parent: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(entry.parent.name))
    return found


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_damaged_database_and_a_full_disk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, a_c=SAFE)
    (tmp_path / DATABASE).write_bytes(b"no database at all, but long enough to be read as one" * 100)
    assert run_main(["batch", str(tmp_path / "a.c"), "--output", str(tmp_path)]) == 2
    assert "is damaged" in capsys.readouterr().err
    with ResultStore(tmp_path / "o") as store:
        store.keep("one", "a.c", Limits(), {"verdict": "TRUE"})
        store._connection.execute("PRAGMA max_page_count = 4")  # what a full disk looks like to SQLite
        with pytest.raises(UsageError, match="full; what is finished is kept"):
            store.keep("two", "b.c", Limits(), {"verdict": "TRUE", "reason": "x" * 100_000})
        assert store.result("one", Limits()) == {"verdict": "TRUE"}
        assert store.result("two", Limits()) is None


def test_another_version_of_the_table(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / DATABASE)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(UsageError, match="another version"):
        ResultStore(tmp_path)
