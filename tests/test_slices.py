"""The slices of `make test`: they name tests that exist, and depend on names alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import slices

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("start", slices.EVERY)
def test_a_slice_names_an_existing_test(start: str) -> None:
    path, _, name = start.partition("::")
    assert (ROOT / path).exists()
    name = name.partition("[")[0]
    assert not name or f"def {name}" in (ROOT / path).read_text(encoding="utf-8")


def test_the_slice_depends_on_the_name_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "EXAM", False)
    names = [f"tests/unsafe_c/test_unsafe.py::test[{number}]" for number in range(600)]
    chosen = [name for name in names if slices.is_in_slice(name)]
    assert 60 < len(chosen) < 150
    assert chosen == [name for name in names if slices.is_in_slice(name)]
    assert slices.is_in_slice("tests/unit/logic/test_kleene.py::test_x")
    monkeypatch.setattr(slices, "EXAM", True)
    assert all(map(slices.is_in_slice, names))
