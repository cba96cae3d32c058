"""The command line, run in this process in a folder with a few small programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_samples import DEREF, FOCUS, GROW, LISTS, WALK, Kleene, Outcome, tvp

from kleene.cli import run_main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of a test: `walk` is verified, `deref` reports a message, `grow` never ends.

    The number of structures of `grow` doubles with each node.
    """
    monkeypatch.chdir(tmp_path)
    for name, text in (("walk", tvp(WALK)), ("deref", tvp(DEREF)), ("grow", GROW), ("look", FOCUS)):
        (tmp_path / f"{name}.tvp").write_text(text)
    for name in ("walk", "deref"):
        (tmp_path / f"{name}.tvs").write_text(LISTS)
    (tmp_path / "grow.tvs").write_text("%n = {} %p = {}\n")
    two = "%n = {u, w} %p = { sm = {u: 1/2, w: 1/2} n = {u -> w: 1/2} x = {u} }\n"
    (tmp_path / "look.tvs").write_text(two)
    return tmp_path


@pytest.fixture
def kleene(folder: Path, capsys: pytest.CaptureFixture[str]) -> Kleene:
    """Run a command line; nothing may ever look like a traceback."""

    def call(*arguments: str | Path) -> Outcome:
        code = run_main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        assert "internal error" not in captured.err
        return Outcome(code, captured.out, captured.err)

    return call
