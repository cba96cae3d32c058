"""The examples compiled with gcc and its sanitizers: an opinion that owes nothing to our reader or our semantics."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from marks import Program

HERE = Path(__file__).parent
GCC = shutil.which("gcc")
LEAKS = "LeakSanitizer"
_FLAGS = ["-g", "-O0", "-Wall", "-Wno-unknown-pragmas", "-Wno-unused-function", "-Wno-unused-but-set-variable"]
_SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer"]


@dataclass(frozen=True)
class Run:
    """How a compiled run ended. `error`: a sanitizer, an assertion or reach_error spoke."""

    code: int
    errors: str

    @property
    def error(self) -> bool:
        said = ("AddressSanitizer", LEAKS, "runtime error", "Assertion", "reach_error")
        return any(word in self.errors for word in said)


def compile_program(program: Program, folder: Path) -> Path:
    """The executable; warnings of gcc are errors of the example."""
    binary = folder / program.path.stem
    objects = []
    for number, file in enumerate(program.files):
        target = folder / f"{program.path.stem}-{number}.o"
        main = ["-DREPLAY_MAIN"] if number == 0 else []
        quiet = ["-w"] if program.buggy else ["-Werror"]
        command = [str(GCC), *_FLAGS, *quiet, *_SANITIZE, *main, "-include", str(HERE / "replay.h")]
        subprocess.run([*command, "-c", file, "-o", str(target)], check=True, timeout=60)
        objects.append(str(target))
    subprocess.run([str(GCC), *_SANITIZE, *objects, "-o", str(binary)], check=True, timeout=60)
    return binary


def run_compiled(
    binary: Path, *, inputs: Sequence[int] | None = None, seed: int = 0, malloc_may_fail: bool, leaks: bool = True
) -> Run:
    """One run, on given inputs or on random ones."""
    environment = os.environ | {"KLEENE_SEED": str(seed)}
    environment["ASAN_OPTIONS"] = f"detect_leaks={int(leaks and can_detect_leaks())}:detect_stack_use_after_return=1"
    if malloc_may_fail:
        environment["KLEENE_MALLOC"] = "1"
    if inputs is not None:
        file = binary.with_suffix(".inputs")
        file.write_text(" ".join(map(str, inputs)))
        environment["KLEENE_INPUTS"] = str(file)
    done = subprocess.run([str(binary)], env=environment, capture_output=True, text=True, timeout=20)
    return Run(done.returncode, done.stderr)


@cache
def can_detect_leaks() -> bool:
    """Whether LeakSanitizer works here (it needs ptrace, which some containers forbid)."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "leak.c"
        source.write_text("#include <stdlib.h>\nint main(void) { malloc(3); return 0; }\n")
        binary = Path(folder) / "leak"
        subprocess.run([str(GCC), "-w", "-fsanitize=address", str(source), "-o", str(binary)], check=True, timeout=60)
        environment = os.environ | {"ASAN_OPTIONS": "detect_leaks=1"}
        done = subprocess.run([str(binary)], env=environment, capture_output=True, text=True, timeout=20)
        return "detected memory leaks" in done.stderr
