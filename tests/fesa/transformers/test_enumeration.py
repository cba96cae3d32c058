"""Every transformer against all concrete memories of up to four cells (`checking.py`; `sweep.py` has the fifth).

A cell is a variable, an object on the stack, or a block of the heap, which may have been freed.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from tests.fesa.checking import Bench
from tests.fesa.statements import VOCABULARIES

from kleene.domains.fesa.heap import Options

SETTINGS = {
    "default": Options(),
    "no parents": Options(parents=False),
    "apart": Options(apart=True, by_role=True),
    "one way": Options(back=frozenset({(16, 8)})),
    "related numbers": Options(related_numbers=True),
    "sizes": Options(sizes=True),
    "no incoming": Options(in_counter=False, reduce=False),
    "bare": Options(out_counter=False, in_counter=False, reduce=False, parents=False),
    "bare with parents": Options(out_counter=False, in_counter=False, reduce=False),
}


@cache
def bench(vocabulary: str, folder: Path, setting: str) -> Bench:
    return Bench(VOCABULARIES[vocabulary], folder, SETTINGS[setting])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("enumeration")


@pytest.mark.parametrize(("vocabulary", "blocks", "unset"), [("objects", 0, 2), ("numbers", 2, 1), ("links", 2, 0)])
def test_one_by_one(folder: Path, vocabulary: str, blocks: int, unset: int) -> None:
    """Each memory in a state of its own: the sharpest check, since nothing else in the state can hide a loss."""
    checked = bench(vocabulary, folder, "default")
    for item in checked.items(blocks, unset, lost=0):
        checked.check([item])


@pytest.mark.parametrize(
    ("vocabulary", "blocks", "unset"), [("objects", 1, 1), ("numbers", 2, 1), ("lists", 3, 0), ("links", 2, 1)]
)
def test_joined(folder: Path, vocabulary: str, blocks: int, unset: int) -> None:
    """Memories of one kind in one state that remembers all of their forests, also with places that have no value."""
    checked = bench(vocabulary, folder, "default")
    for items in checked.groups(blocks, unset, lost=0, size=24):
        checked.check(items, remembers=True)


@pytest.mark.parametrize("size", [1, 12])
def test_numbers_of_two_cells(folder: Path, size: int) -> None:
    """All memories of two blocks with numbers, alone and joined, where ghosts have numbers too."""
    checked = bench("numbers", folder, "related numbers")
    for items in checked.groups(2, unset=0, lost=0, size=size):
        checked.check(items, remembers=size > 1)


@pytest.mark.parametrize("setting", [setting for setting in SETTINGS if setting != "default"])
def test_other_options(folder: Path, setting: str) -> None:
    for vocabulary, blocks in (("objects", 0), ("numbers", 1), ("links", 2)):
        checked = bench(vocabulary, folder, setting)
        for items in checked.groups(blocks, unset=0, lost=0, size=48):
            checked.check(items)


def test_after_a_leak(folder: Path) -> None:
    """Blocks that were lost are still there, and what is reported of others is right."""
    checked = bench("links", folder, "default")
    for items in checked.groups(2, unset=0, lost=1, size=48):
        checked.check(items)
