"""A few random programs (see `fuzz`): every run is a possible path, and what is impossible has sound interpolants."""

from __future__ import annotations

import pytest

from .fuzz import problems_of


@pytest.mark.parametrize("seed", range(20, 30))
def test_paths_and_runs_agree(seed: int) -> None:
    problems, counts = problems_of(seed, runs=1, steps=40)
    assert problems == []
    assert counts["feasible"] > 0
