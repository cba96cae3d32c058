"""Random programs, run by the interpreter and compiled with gcc's sanitizers: same errors, same output, same status."""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import random
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from kleene.c import read_program
from kleene.c.options import ReadOptions
from kleene.domains.explicit.explore import explore
from kleene.domains.explicit.interpreter import Trace, run
from kleene.domains.explicit.machine import Machine

CORPUS = Path(__file__).parents[3] / "corpus_c"
COUNT = 30
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize=null", "-fno-sanitize-recover=all"]
MESSAGES = {
    "heap-use-after-free": "dangling_dereference",
    "stack-use-after": "dangling_dereference",
    "overflow on address": "out_of_bounds",
    "out of bounds for type": "out_of_bounds",
    "double-free": "double_free",
    "not malloc": "invalid_free",
    "Assertion": "assertion",
    "SEGV": "null_dereference",
}


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", CORPUS / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiled_outcome(binary: Path, number: int, inputs: Path) -> tuple[str, int, str]:
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=1"}
    result = subprocess.run(
        [str(binary), str(number), str(inputs)], capture_output=True, env=environment, check=False, timeout=20
    )
    errors = result.stderr.decode(errors="replace")
    kind = next((kind for text, kind in MESSAGES.items() if text in errors), errors[:400])
    return kind, result.returncode, result.stdout.decode(errors="replace")


def comparable(trace: Trace) -> bool:
    """Whether C says what must happen: no open comparison, no uninitialised number."""
    return (
        not trace.tainted
        and trace.outcome in ("exit", "abort", "error")
        and "uninitialized number" not in trace.reasons
    )


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
@pytest.mark.parametrize("seed", [21, 22])
def test_interpreter_and_compiled_program_agree(tmp_path: Path, seed: int) -> None:
    generate = generator()
    (tmp_path / "p.c").write_text(generate.generate(seed, COUNT))
    (tmp_path / "r.c").write_text(generate.runnable(seed, COUNT))
    command = ["gcc", "-w", "-O0", *SANITIZE, str(tmp_path / "r.c"), "-o", str(tmp_path / "r")]
    subprocess.run(command, check=True)
    program = read_program(tmp_path / "p.c", ReadOptions(entry="program_0"))
    chooser = random.Random(seed)
    compared = 0
    for number in range(COUNT):
        one = dataclasses.replace(program, entry=f"program_{number}")
        machine = Machine(one, malloc_may_fail=False)
        for _ in range(2):
            values = [chooser.randint(-9, 20) for _ in range(60)]
            (tmp_path / "in").write_text(" ".join(map(str, values)))
            trace = run(one, values, machine=machine, check_leaks=False, malloc_may_fail=False)
            if not comparable(trace):
                continue
            kind, status, output = compiled_outcome(tmp_path / "r", number, tmp_path / "in")
            ours = trace.fault.kind if trace.fault else ""
            assert ours == kind, f"program_{number} on {values}"
            if not ours:
                assert ((trace.status or 0) & 127, trace.output) == (status, output), f"program_{number} on {values}"
            compared += 1
    assert compared > COUNT


def test_exploration_agrees_with_runs(tmp_path: Path) -> None:
    """What a complete exploration does not find, no run shows."""
    (tmp_path / "p.c").write_text(generator().generate(31, 12))
    program = read_program(tmp_path / "p.c", ReadOptions(entry="program_0"))
    chooser = random.Random(5)
    for number in range(12):
        one = dataclasses.replace(program, entry=f"program_{number}")
        result = explore(one, seconds=0.5, max_states=500, malloc_may_fail=False)
        if not result.complete:
            continue
        known = {(c.fault.kind, c.fault.detail) for c in result.findings}
        known |= {(f.kind, f.detail) for f in result.possible}
        for _ in range(10):
            trace = run(one, [chooser.randint(-9, 20) for _ in range(60)], malloc_may_fail=False)
            for finding in trace.faults:
                assert (finding.kind, finding.detail) in known, f"program_{number} on {trace.inputs}"
