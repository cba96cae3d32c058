"""examples/README.md: its commands do what it says, and it mentions every program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from example_runs import EXAMPLES

from kleene.cli import run_main

README = EXAMPLES.parent / "README.md"
ROWS = [
    (command.split()[1:], int(code))
    for command, code in re.findall(r"^\|.*\| `(kleene run .*)` \| (\d) \|$", README.read_text("utf-8"), re.MULTILINE)
]
PROGRAMS = sorted(path.relative_to(EXAMPLES) for path in EXAMPLES.rglob("*.tvp") if path.with_suffix(".tvs").is_file())


@pytest.mark.parametrize(("arguments", "code"), ROWS, ids=[" ".join(row[0][1:]) for row in ROWS])
def test_the_command_ends_as_the_table_says(monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int) -> None:
    monkeypatch.chdir(EXAMPLES.parents[1])
    assert run_main([*arguments, "--quiet"]) == code


def test_every_program_is_in_the_table() -> None:
    listed = {Path(arguments[1]).relative_to("examples/tvp") for arguments, _ in ROWS}
    assert listed == {program.with_suffix("") for program in PROGRAMS}


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_a_program_begins_with_what_is_proved_or_reported(program: Path) -> None:
    text = (EXAMPLES / program).read_text("utf-8")
    assert text.startswith(f"/* {program.stem}: ")
    comment = text[: text.index("*/")]
    assert re.search(r"^ +(Proved|Must be reported)\b", comment, re.MULTILINE)


def test_every_file_begins_with_a_comment() -> None:
    for path in EXAMPLES.rglob("*.tvp"):
        assert path.read_text("utf-8").startswith(f"/* {path.name}: ") or path.with_suffix(".tvs").is_file(), path
