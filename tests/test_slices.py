"""The slices of `make test`: they name tests that exist, and depend on names alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import slices

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("start", slices.EVERY)
def test_a_slice_names_an_existing_test(start: str) -> None:
    path, _, name = start.partition("[")[0].partition("::")
    assert (ROOT / path).exists()
    name = name.partition("[")[0]
    assert not name or f"def {name}" in (ROOT / path).read_text(encoding="utf-8")


def test_the_slice_depends_on_names_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "EXAM", False)
    names = [f"tests/unsafe_c/test_unsafe.py::test[{number}]" for number in range(600)]
    chosen = slices.in_slice(names)
    assert 40 < len(chosen) < 150
    assert chosen == slices.in_slice(reversed(names))
    assert slices.in_slice(["tests/unit/logic/test_kleene.py::test_x"])
    monkeypatch.setattr(slices, "EXAM", True)
    assert slices.in_slice(names) == set(names)


def test_a_test_is_never_left_out_by_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices were chosen by name alone: tests without parameters, and all cases of others, did not run at all."""
    monkeypatch.setattr(slices, "EXAM", False)
    alone = [f"tests/unsafe_c/test_unsafe.py::test_{number}" for number in range(40)]
    few = [f"tests/unsafe_c/test_unsafe.py::test_few_{number}[{case}]" for number in range(40) for case in "ab"]
    chosen = slices.in_slice([*alone, *few])
    assert set(alone) <= chosen
    assert {name.partition("[")[0] for name in chosen} == {name.partition("[")[0] for name in (*alone, *few)}
    costly = next(start for start, k in slices.EVERY.items() if k == slices.ONLY_IN_EXAM)
    assert slices.in_slice([costly]) == set()
