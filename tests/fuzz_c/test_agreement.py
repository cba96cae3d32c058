"""A fixed small number of random programs: nothing that the shape analysis proves is contradicted (see `run.py`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from .compare import judge
from .generators import recursive, structures


@pytest.mark.parametrize("seed", range(12))
def test_exact_exploration_contradicts_no_proof(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "program.c"
    path.write_text(structures.program(seed))
    found = judge(path, seed, seconds=1.5)
    assert found.contradictions == []


@pytest.mark.parametrize("seed", range(8))
def test_exact_exploration_contradicts_no_proof_of_recursive_functions(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "program.c"
    path.write_text(recursive.program(seed))
    found = judge(path, seed, seconds=1.5)
    assert found.contradictions == []
