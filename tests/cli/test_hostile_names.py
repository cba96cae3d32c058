"""Full disks, names and sources that try to deceive: one clear line, nothing lost, nothing shown that is not there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cli_samples import Kleene
from tests.batch.programs import LEAK, write

from kleene.cli.files import write_output
from kleene.diagnostics import Diagnostic, Position, UsageError, lines_in, visible


def test_a_full_disk_is_one_line_that_names_the_file(kleene: Kleene, folder: Path) -> None:
    """It said 'No space left on device' without the file, before the verdict was printed."""
    write(folder, leak_c=LEAK)
    outcome = kleene("check", "leak.c", "--html", "/dev/full")
    assert outcome.code == 2
    assert outcome.err.strip() == "kleene: '/dev/full' could not be written: No space left on device"
    assert "memory_leak" in outcome.out, "the verdict is not lost"


def test_a_file_is_replaced_as_a_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "report.html"
    target.write_text("old")
    target.chmod(0o640)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.raises(UsageError, match=r"report\.html' could not be written: No space"):
            write_output(str(target), "new")
    assert target.read_text() == "old"
    link = tmp_path / "link.html"
    link.symlink_to(target)
    write_output(str(link), "new \udcff")
    assert link.is_symlink() and target.read_bytes() == b"new ?"
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.html", "report.html"]


def test_names_and_lines_cannot_move_the_cursor(kleene: Kleene, folder: Path) -> None:
    """A line of the program with escape sequences reached the terminal, and so did the end of a line in a name."""
    name = "new\nTRUE        0.01 s  good.c"
    (folder / name).write_text(LEAK.replace("return 0;", "return 0; /* \x1b[2J\u202e */"))
    for command in (("check", name), ("batch", name)):
        outcome = kleene(*command)
        assert not [line for line in outcome.out.splitlines() if line.startswith("TRUE        0.01")]
        assert "\x1b" not in outcome.out and "\u202e" not in outcome.out
    position = Position("a\nb", 1, 4, "\ta\x1bb")
    assert str(Diagnostic("wrong", position)) == "a?b:1:4: wrong\n     a?b\n       ^"


def test_as_many_bytes_as_before() -> None:
    text = "a\x00\x1b\x7f\x85\u202e\u200b\u2028\ufeffb"
    assert len(visible(text).encode()) == len(text.encode())
    assert visible(text).isprintable()
    assert visible("plain ä \t\udcff") == "plain ä \t?"


def test_lines_are_counted_as_the_compiler_counts_them(kleene: Kleene, folder: Path) -> None:
    """After a form feed, which is common in old sources, excerpts showed the line before."""
    assert lines_in("a\r\nb\x0cc\rd\n\ne") == ["a", "b\x0cc", "d", "", "e"]
    (folder / "feed.c").write_text("#include <stdlib.h>\n\x0c\nint main(void) {\n    malloc(4);\n    return 0;\n}\n")
    outcome = kleene("check", "feed.c")
    (line,) = [n for n, text in enumerate(outcome.out.splitlines()) if text.startswith("feed.c:4:")][:1]
    assert outcome.out.splitlines()[line + 1].strip() == "malloc(4);"


def test_a_name_that_is_no_text_is_refused(kleene: Kleene, folder: Path) -> None:
    """It was an internal error."""
    name = os.fsdecode(b"\xff\xfe.c")
    (folder / name).write_text(LEAK)
    for command in ("check", "batch"):
        outcome = kleene(command, name)
        assert outcome.code == 2
        assert outcome.err.strip() == "kleene: '??.c': the name of this file is not UTF-8: rename it"
