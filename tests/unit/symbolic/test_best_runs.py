"""`kleene run --best`: programs in which best transformers remove the false alarms that plain coerce leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kleene.cli import run_main

from .samples import EXAMPLES


def _run(name: str, *more: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> tuple[int, dict[str, int], str]:
    """The exit code, the number of messages by location, and what was said of transformers."""
    file = tmp_path / "run.json"
    code = run_main(["run", str(EXAMPLES / name), "--json", str(file), *more])
    capsys.readouterr()
    document = json.loads(file.read_text())
    messages = {k: len(v["messages"]) for k, v in document["locations"].items() if v["messages"]}
    return code, messages, "\n".join(document["warnings"])


ALARMS = {
    "before": {"body"},
    "reverse": {"n1", "n2", "done"},
    "swap": {"n1", "n2", "n4", "n5"},
    "paint": {"n2"},
    "mark": {"n2", "done"},
    "insert": {"n4", "n7"},
    "move": {"n5"},
    "matching": {"n3"},
    "unlink": {"n3", "n5", "n8"},
    "rotate": {"n2", "n4", "n5"},
    "append": {"n1", "n3", "n6"},
    "least": {"n1"},
}
JOINED = {"swap", "paint", "rotate", "least"}


@pytest.mark.parametrize(("name", "alarms"), ALARMS.items())
def test_false_alarms_disappear(
    name: str, alarms: set[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, messages, _ = _run(name, capsys=capsys, tmp_path=tmp_path)
    assert code == 1
    assert set(messages) == alarms
    code, messages, notes = _run(name, "--best", "all", capsys=capsys, tmp_path=tmp_path)
    assert code == 0
    assert messages == {}
    assert "note: the best transformer of" in notes
    assert ("not known to be best" in notes) == (name in JOINED)


def test_real_alarms_stay(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The same search for an element that may be missing: x runs off the end of the list."""
    (tmp_path / "missing.tvs").write_text(
        "%n = {u, w}\n%p = { sm = {w:1/2} x = {u} n = {u->w:1/2, w->w:1/2} r[x] = {u, w} }"
    )
    file = tmp_path / "run.json"
    arguments = [str(EXAMPLES / "before"), str(tmp_path / "missing.tvs"), "--best", "all", "--json", str(file)]
    assert run_main(["run", *arguments]) == 1
    capsys.readouterr()
    assert json.loads(file.read_text())["locations"]["body"]["messages"]


def test_notes_are_no_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    """They were printed as 'warning: note: ...'."""
    assert run_main(["run", str(EXAMPLES / "matching"), "--best", "all"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if "more precise" in line]
    assert lines
    assert all(line.startswith("note: ") for line in lines)
