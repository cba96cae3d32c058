"""Each statement under other options of the domain, on a few memories (`test_enumeration.py` takes all of them)."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest
from tests.fesa.checking import Bench
from tests.fesa.statements import VOCABULARIES
from tests.fesa.transformers.test_enumeration import SETTINGS

SIZES = ((0, 2, 0), (1, 1, 0), (2, 0, 0))
"""Blocks, places without a value, lost blocks."""
ALONE, TOGETHER, GROUP = 5, 2, 12
"""Memories of each size that are looked at one by one; groups of them, and how many are in a group."""


@pytest.mark.parametrize(
    ("setting", "vocabulary"),
    [
        (setting, vocabulary)
        for setting, options in SETTINGS.items()
        for vocabulary in ("links", "objects", "numbers")
        if setting != "default" and (options.out_counter or vocabulary != "objects")
    ],
)
def test_other_options(tmp_path: Path, setting: str, vocabulary: str) -> None:
    """Without the counter of targets, arithmetic on a pointer that may be NULL is refused."""
    own = Bench(VOCABULARIES[vocabulary], tmp_path, SETTINGS[setting])
    sizes = [list(own.items(*size)) for size in SIZES]
    alone = list(chain(*(items[:: max(1, len(items) // ALONE)] for items in sizes)))
    groups = [list(own.groups(*size, size=GROUP)) for size in SIZES]
    together = list(chain(*(some[:: max(1, len(some) // TOGETHER)] for some in groups)))
    for statement in own.statements:
        for group in (*([item] for item in alone), *together):
            able = [item for item in group if statement.possible(item.heap)]
            if able:
                own.check_statement(statement, own.state(able), able)
