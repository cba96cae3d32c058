"""`benchmarks/phase.py`, which `make bench` starts in other processes, still fits the analysis that it measures."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_phase_of_a_small_program_is_measured_in_parts() -> None:
    program = ROOT / "examples" / "c" / "sll" / "reverse.c"
    command = [sys.executable, str(ROOT / "benchmarks" / "phase.py"), str(program), "1000", "--apart"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    figures = json.loads(ended.stdout)
    assert figures["complete"]
    assert figures["structures"] > 0
    assert figures["steps"] > 0
    assert figures["stores"] > 0
