"""The exploration finds exactly the errors that the corpus programs are marked with, and each replays."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kleene.c import read_program
from kleene.c.options import ReadOptions
from kleene.domains.explicit.explore import explore
from kleene.domains.explicit.interpreter import replay

CORPUS = Path(__file__).parents[3] / "corpus_c"
MARK = re.compile(r"// FAILS: (\w+) ?(\w*)")


def marks(path: Path) -> set[tuple[int, str, str]]:
    lines = path.read_text().splitlines()
    return {(n, *found.groups()) for n, line in enumerate(lines, 1) for found in MARK.finditer(line)}


@pytest.mark.parametrize("data_model", ["ILP32", "LP64"])
@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.c")), ids=lambda path: path.stem)
def test_exploration_finds_the_marked_errors(path: Path, data_model: str) -> None:
    result = explore(read_program(path, ReadOptions(data_model=data_model)), malloc_may_fail=False)
    found = {(c.fault.place.line, c.fault.kind, c.fault.detail) for c in result.findings}
    assert result.complete, str(result)
    assert not result.possible, str(result)
    assert found == marks(path), str(result)
    for confirmed in result.findings:
        again = replay(confirmed.trace)
        assert confirmed.fault in again.faults
        assert [s.location for s in again.steps][: len(confirmed.trace.steps)] == [
            s.location for s in confirmed.trace.steps
        ]
