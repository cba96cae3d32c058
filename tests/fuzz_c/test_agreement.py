"""A fixed small number of random programs: nothing that the shape analysis proves is contradicted (see `run.py`)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from . import generate_recursive
from .compare import judge
from .generate import program


@pytest.mark.parametrize("seed", range(12))
def test_exact_exploration_contradicts_no_proof(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "program.c"
    path.write_text(program(seed))
    found = judge(path, seed, seconds=1.5)
    assert found.contradictions == []


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a C compiler")
@pytest.mark.parametrize("seed", range(20, 23))
def test_compiled_runs_contradict_no_proof(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "program.c"
    path.write_text(program(seed))
    found = judge(path, seed, seconds=1.5, runs=2)
    assert found.contradictions == []


@pytest.mark.parametrize("seed", range(8))
def test_exact_exploration_contradicts_no_proof_of_recursive_functions(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "program.c"
    path.write_text(generate_recursive.program(seed))
    found = judge(path, seed, seconds=1.5)
    assert found.contradictions == []
