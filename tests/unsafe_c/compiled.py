"""Compiled runs of unsafe programs, with AddressSanitizer: what a test calls wrong must fail."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

GCC = shutil.which("gcc")
SECONDS = 20.0
OPTIONS = "detect_leaks={leaks}:strict_string_checks=0"

needs_gcc = pytest.mark.skipif(GCC is None, reason="there is no gcc")


def fails_in_a_run(source: Path, *arguments: str, leaks: bool = False, text: str = "") -> bool:
    """Whether AddressSanitizer reports an error in a run that reads a text; lost blocks are errors with `leaks`."""
    binary = source.with_suffix("")
    command = [str(GCC), "-w", "-O0", "-fno-builtin", "-fsanitize=address", "-o", str(binary), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    environment = {"ASAN_OPTIONS": OPTIONS.format(leaks=int(leaks))}
    run = [str(binary), *arguments]
    done = subprocess.run(run, input=text.encode(), capture_output=True, check=False, env=environment, timeout=SECONDS)
    return b"Sanitizer" in done.stderr


def written(text: str, folder: Path) -> Path:
    """A file with a program."""
    source = folder / "program.c"
    source.write_text(text)
    return source
