"""Random programs with refinement on: no proof is contradicted by exact exploration, no error lacks a run."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fuzz_c.compare import judge_refinement
from tests.fuzz_c.generators.structures import program


@pytest.mark.parametrize("properties", [("memsafety", "memcleanup"), ("assert", "unreach")])
@pytest.mark.parametrize("seed", range(6))
def test_no_proof_is_contradicted(tmp_path: Path, seed: int, properties: tuple[str, ...]) -> None:
    path = tmp_path / "program.c"
    path.write_text(program(seed), encoding="utf-8")
    assert judge_refinement(path, seed, seconds=3.0, properties=properties).contradictions == []
