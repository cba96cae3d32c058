"""Help with examples, completion, doctor, examples, progress, and findings as compilers print them."""

from __future__ import annotations

import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from cli_samples import Kleene

from kleene.cli import _COMMANDS, program
from kleene.cli.commands import doctor as doctor_command

LEAK = "#include <stdlib.h>\nint main(void) {\n\tint *p = malloc(4);\n\tp = 0;\n\treturn 0;\n}\n"


@pytest.mark.parametrize("name", list(_COMMANDS))
def test_help_ends_with_examples_whose_options_exist(kleene: Kleene, name: str) -> None:
    text = kleene(name, "--help").out
    examples = text.rpartition("Examples:\n")[2].strip().splitlines()
    assert examples and all(line.strip().startswith("kleene ") for line in examples)
    for line in examples:
        words = shlex.split(line.partition(">")[0])
        command = program.get_command(click.Context(program), words[1])
        assert command is not None
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words[2:] if word.startswith("--")} <= known


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(kleene: Kleene, shell: str) -> None:
    assert "_KLEENE_COMPLETE" in kleene("completion", shell).out


def completed(words: str, number: int) -> list[str]:
    environment = {**os.environ, "_KLEENE_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(number)}
    start = [sys.executable, "-c", "from kleene.cli import main; main()"]
    done = subprocess.run(start, env=environment, capture_output=True, text=True, timeout=60, check=False)
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_completion_of_commands_and_options() -> None:
    assert completed("kleene ba", 1) == ["batch"]
    assert "--sarif" in completed("kleene check --sa", 2)


def test_doctor(kleene: Kleene, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = kleene("doctor")
    assert outcome.code == 0 and "z3-solver" in outcome.out and "everything that is needed works" in outcome.out

    def broken() -> str:
        raise OSError("no libclang")

    monkeypatch.setattr(doctor_command, "_PROBES", (doctor_command.Probe("C programs", broken),))
    outcome = kleene("doctor")
    assert outcome.code == 4 and "failed: OSError: no libclang" in outcome.out


def test_examples_are_copied_once(kleene: Kleene, folder: Path) -> None:
    assert kleene("examples", "tutorial").code == 0
    assert (folder / "tutorial" / "c" / "sll" / "reverse.c").is_file()
    outcome = kleene("examples", "tutorial")
    assert outcome.code == 2 and "not empty" in outcome.err


def test_findings_as_compilers_print_them(kleene: Kleene, folder: Path) -> None:
    (folder / "leak.c").write_text(LEAK)
    lines = kleene("check", "leak.c", "--property", "memsafety").out.splitlines()
    start = next(n for n, line in enumerate(lines) if "(confirmed)" in line)
    assert lines[start].startswith("leak.c:4:2: memory_leak: ")
    assert lines[start + 1 : start + 3] == ["     p = 0;", "     ^"]
    assert lines[start + 3] == "leak.c:3:11: note: the block is allocated here"
    assert lines[start + 4] == "     int *p = malloc(4);"
    assert lines[start + 5] == " " * 14 + "^"


def test_progress_is_shown_on_a_terminal_only(folder: Path) -> None:
    (folder / "leak.c").write_text(LEAK)
    words = ["check", "leak.c", "--property", "memsafety"]
    start = [sys.executable, "-c", "from kleene.cli import main; main()", *words]
    piped = subprocess.run(start, capture_output=True, text=True, timeout=60, check=False)
    assert piped.stderr == "" and "\x1b" not in piped.stdout
    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "NO_COLOR": "1", "COLUMNS": "100"}
    shown = subprocess.run(start, stdout=subprocess.PIPE, stderr=follower, env=environment, timeout=60, check=False)
    os.close(follower)
    text = os.read(leader, 100_000).decode()
    os.close(leader)
    assert "leak.c: glance" in text
    assert re.search(r"\x1b\[3\dm", text) is None  # no colours
    assert b"\x1b" not in shown.stdout
