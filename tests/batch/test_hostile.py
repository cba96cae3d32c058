"""What hostile programs, names and task files cannot do: write elsewhere, run code, be taken for options."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.batch.programs import LEAK, SAFE, write

from kleene.batch.jobs import find_jobs
from kleene.batch.shipping import local_task, shipped_task
from kleene.batch.task import Limits, Task, run_task
from kleene.cli import run_main

LIMITS = Limits(30.0)


@pytest.mark.parametrize("option", ["--html", "--json", "--certificate", "--sarif", "--witness", "--html=x.html"])
def test_a_program_cannot_ask_for_outputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    """The line RUN of a program could name a file anywhere, and batch had it written."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "p", a_c=f"// RUN: kleene check {option} ../stolen.txt a.c\n" + SAFE)
    assert run_main(["batch", "p"]) == 2
    assert "may not ask for" in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p"]


def test_a_name_that_looks_like_an_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file with such a name in the current folder was an option of the check."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "--html=stolen.c").write_text(SAFE)
    (job,) = find_jobs(["."], [])
    for task in (local_task(job, LIMITS), shipped_task(job, LIMITS)):
        assert run_task(task)["verdict"] == "TRUE"
    assert [path.name for path in tmp_path.iterdir()] == ["--html=stolen.c"]


def test_modules_beside_the_programs_are_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process of a check had the current folder in its path: a `click.py` there was run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "click.py").write_text("open('owned', 'w').close()\n")
    (tmp_path / "a.c").write_text(SAFE)
    assert run_main(["batch", "a.c"]) == 0
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize("name", ["../out.c", "/tmp/kleene-hostile.c", "a/../../out.c"])
def test_sent_files_stay_in_their_folder(name: str) -> None:
    with pytest.raises(ValueError, match="must lie in its folder"):
        run_task(Task("k", ("check", name), LIMITS, files=((name, b""),)))


def test_a_task_file_with_odd_content(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = {
        "a_yml": "input_files: [3, {a: b}]\n",
        "b_yml": "!!python/object/apply:os.system ['touch owned']\n",
        "c_yml": "input_files: ../../../../etc/hostname\nproperties: 7\n",
        "d_yml": "a: &a [*a]\ninput_files: x.c\n",
    }
    write(tmp_path, **texts, p_c=SAFE)
    run_main(["batch", str(tmp_path)])
    capsys.readouterr()
    assert not (tmp_path / "owned").exists() and not Path("owned").exists()


class Scripts(HTMLParser):
    """Collects the tags and handlers of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.images: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img" or any(name.startswith("on") and "stolen" in (value or "") for name, value in attrs):
            self.images.append(tag)


def test_hostile_names_are_text_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "<img src=x onerror=stolen()>.c").write_text(LEAK)
    assert run_main(["batch", "p", "--html", "o.html", "--junit", "o.xml", "--sarif", "o.sarif", "--quiet"]) == 1
    page = Scripts()
    page.feed((tmp_path / "o.html").read_text())
    assert page.images == []
    assert "<img" not in (tmp_path / "o.xml").read_text()
