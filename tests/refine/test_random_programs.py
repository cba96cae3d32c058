"""Random programs with refinement on: no proof is contradicted by exact exploration, no error lacks a run."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fuzz_c.generate import program

from kleene.analysis.refine_of_c import RefineSettings, confirmed, kinds_of, refine
from kleene.c.reader import read_program
from kleene.domains.explicit.explore import explore
from kleene.refine.loop import SAFE, UNSAFE, RefineOptions

SETTINGS = RefineSettings(options=RefineOptions(max_rounds=25, max_structures=3_000))


def judged(path: Path, properties: tuple[str, ...], seconds: float) -> tuple[str, list[str]]:
    """The outcome of refinement, and what contradicts it."""
    source = read_program([str(path)], data_model="LP64")
    result = refine(source, properties, SETTINGS, malloc_may_fail=False, seconds=seconds)
    if isinstance(result, str):
        return result, []
    if result.outcome == UNSAFE:
        shown = confirmed(source, result, malloc_may_fail=False)
        return result.outcome, [] if shown is not None else ["a feasible path has no run"]
    if result.outcome != SAFE:
        return result.outcome, []
    kinds = kinds_of(properties)
    found = [c.finding for c in explore(source, seconds=1.0, malloc_may_fail=False).findings]
    kind_of = {id(f): "memory_cleanup" if f.detail == "exit" else f.kind for f in found}
    return result.outcome, [str(f) for f in found if kind_of[id(f)] in kinds]


@pytest.mark.parametrize("properties", [("memsafety", "memcleanup"), ("assert", "unreach")])
@pytest.mark.parametrize("seed", range(6))
def test_no_proof_is_contradicted(tmp_path: Path, seed: int, properties: tuple[str, ...]) -> None:
    path = tmp_path / "program.c"
    path.write_text(program(seed), encoding="utf-8")
    _, contradictions = judged(path, properties, 3.0)
    assert contradictions == []
