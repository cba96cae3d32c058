"""Programs from text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kleene.c import read_program
from kleene.c.options import ReadOptions
from kleene.cfa.program import CProgram


@pytest.fixture
def lower(tmp_path: Path) -> Callable[..., CProgram]:
    """Reads a program from text; the file is called `p.c`."""

    def read(text: str, *, name: str = "p.c", entry: str = "main", data_model: str = "ILP32") -> CProgram:
        path = tmp_path / name
        path.write_text(text)
        return read_program(path, ReadOptions(entry=entry, data_model=data_model))

    return read
