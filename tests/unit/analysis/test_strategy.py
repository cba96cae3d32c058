"""The strategy of a check as data: names, order, and what the command prints."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from kleene.analysis.c.fesa import FESA_ATTEMPTS
from kleene.analysis.c.shape.attempts import ATTEMPTS
from kleene.analysis.c.strategy import PHASES, strategy_lines
from kleene.cli import run_main
from kleene.refine.tactics import TACTICS


@pytest.mark.parametrize("rows", [PHASES, ATTEMPTS, FESA_ATTEMPTS, TACTICS], ids=["phases", "shape", "fesa", "tactics"])
def test_every_row_has_a_name_of_its_own(rows):
    names = [row.name for row in rows]
    assert len(set(names)) == len(names)
    assert all(names)


def test_shares_are_parts_of_the_time():
    assert all(0 < phase.share <= 1 for phase in PHASES)
    assert all(0 < attempt.share <= 1 for attempt in ATTEMPTS)
    assert all(0 < attempt.share <= 1 for attempt in FESA_ATTEMPTS)


def test_the_command_prints_every_row(capsys):
    assert run_main(["check", "--explain-strategy"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed == strategy_lines()
    for row in (*PHASES, *ATTEMPTS, *FESA_ATTEMPTS, *TACTICS):
        assert any(line.startswith(f"  {row.name}") for line in printed), row.name


def test_the_picture_shows_the_rows():
    """`docs/images/draw.py` makes it; a changed row or share needs a new one."""
    images = Path(__file__).resolve().parents[3] / "docs" / "images"
    spec = importlib.util.spec_from_file_location("draw", images / "draw.py")
    draw = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(draw)
    assert (images / "strategy.dot").read_text(encoding="utf-8") == draw.strategy_dot()
    drawn = (images / "strategy.svg").read_text(encoding="utf-8")
    names = [row.name for row in (*PHASES, *ATTEMPTS, *FESA_ATTEMPTS, *TACTICS)]
    assert [name for name in names if not all(part in drawn for part in name.split(", "))] == []
