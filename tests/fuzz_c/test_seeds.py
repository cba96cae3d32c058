"""Each program of `seeds` is proved by the attempts that its folder names: else its mutants would say nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fuzz_c.attempts import OF_SEEDS
from tests.fuzz_c.candidates import Candidate
from tests.fuzz_c.sources import SEEDS, seeds
from tests.slices import in_exam

SECONDS = 30.0
CASES = [(path, name) for path in seeds() for name in path.parent.name.split("-")]


@in_exam
@pytest.mark.parametrize(("path", "name"), CASES, ids=[f"{name}-{path.stem}" for path, name in CASES])
def test_a_seed_is_proved_by_its_attempt(path: Path, name: str) -> None:
    candidate = Candidate(str(path.relative_to(SEEDS)), path.read_text(encoding="utf-8"))
    assert OF_SEEDS[name].prove(path, candidate, SECONDS)
