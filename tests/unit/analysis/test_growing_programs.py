"""Families of programs with many parts (`benchmarks`): proofs by parts and slices are covered, mutants have alarms.

A check would show what is wrong with a mutant by a run. Here the analysis by parts, or by slices, is alone.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.coverage.helpers import attacked, read

from kleene.analysis.c.shape.analyse import analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS, Attempt
from kleene.analysis.c.shape.run import check_again
from kleene.passes.preparation import Prepared

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
PARTS, SLICES, CHOICES = (next(row for row in ATTEMPTS if row.name == n) for n in ("parts", "slices", "choices"))
SIZE = 3
SMALL = 2


def families(*names: str) -> dict[str, Any]:
    """Families that `make bench` measures, from some modules."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        modules = [importlib.import_module(name) for name in names]
    finally:
        sys.path.remove(str(BENCHMARKS))
    lists = (getattr(module, f"{module.__name__.upper()[:-9]}_FAMILIES") for module in modules)
    return {family.name: family for rows in lists for family in rows}


FAMILIES = families("part_families", "client_families", "container_families")
SLICED = families("structure_families", "container_families")
"""The families whose data structures have slices of their own."""
CHOSEN = families("choice_families")
"""The families whose locations know which of their data structures is meant."""
UNITED = ("calls in a chain",)
"""A family whose lists are copies of each other: they have slices, and what is walked to make a copy is not known."""
BY_OTHER_ATTEMPTS = ("blocks of nodes", "lists of nodes", "calls of six functions", "members with flags")
"""What parts alone do not prove: nodes have to be told apart by their cells or numbers."""
MUTANTS = [(name, what) for name, family in FAMILIES.items() for what in family.mutants(1)]


SLICED_MUTANTS = [(name, what) for name, family in SLICED.items() for what in family.mutants(1)]


def by_attempt(tmp_path: Path, text: str, attempt: Attempt) -> tuple[Any, Any]:
    path = tmp_path / "program.c"
    path.write_text(text)
    program = read(path)
    return program, analyse_by_attempt(Prepared(program), attempt, malloc_may_fail=True, seconds=120)


@pytest.mark.parametrize("name", [name for name in FAMILIES if name not in BY_OTHER_ATTEMPTS])
def test_a_family_is_proved_by_parts(name: str, tmp_path: Path) -> None:
    program, result = by_attempt(tmp_path, FAMILIES[name].program(SIZE), PARTS)
    assert result is not None and result.complete and not result.alarms
    assert check_again(result)
    assert attacked(program, result, 3.0, max_runs=20).refuted is None


@pytest.mark.parametrize(("name", "what"), MUTANTS)
def test_no_mutant_is_proved_by_parts(name: str, what: str, tmp_path: Path) -> None:
    _, result = by_attempt(tmp_path, FAMILIES[name].mutants(SIZE)[what], PARTS)
    assert result is None or not result.complete or result.alarms


@pytest.mark.parametrize("name", [name for name in SLICED if name not in UNITED])
def test_a_family_is_proved_by_slices(name: str, tmp_path: Path) -> None:
    program, result = by_attempt(tmp_path, SLICED[name].program(SIZE), SLICES)
    assert result is not None and result.complete and not result.alarms and len(result.slices) >= SIZE
    assert check_again(result)
    assert attacked(program, result, 3.0, max_runs=20).refuted is None


@pytest.mark.parametrize(("name", "what"), SLICED_MUTANTS)
def test_no_mutant_is_proved_by_slices(name: str, what: str, tmp_path: Path) -> None:
    _, result = by_attempt(tmp_path, SLICED[name].mutants(SIZE)[what], SLICES)
    assert result is None or not result.complete or result.alarms


@pytest.mark.parametrize("name", CHOSEN)
def test_a_family_is_proved_by_choices(name: str, tmp_path: Path) -> None:
    program, result = by_attempt(tmp_path, CHOSEN[name].program(SIZE), CHOICES)
    assert result is not None and result.complete and not result.alarms
    assert all(map(check_again, result.slices or [result]))
    coverage = attacked(program, result, 3.0, max_runs=20)
    assert coverage.refuted is None and coverage.states


@pytest.mark.parametrize(("name", "what"), [(name, what) for name in CHOSEN for what in CHOSEN[name].mutants(1)])
def test_no_mutant_is_proved_by_choices(name: str, what: str, tmp_path: Path) -> None:
    _, result = by_attempt(tmp_path, CHOSEN[name].mutants(SMALL)[what], CHOICES)
    assert result is None or not result.complete or result.alarms
