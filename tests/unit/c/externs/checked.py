"""Checks of programs with functions that have no body."""

from __future__ import annotations

from pathlib import Path

from kleene.analysis.c.check import check
from kleene.analysis.c.options import check_options
from kleene.results.check import CheckReport


def checked(text: str, folder: Path, **options: object) -> CheckReport:
    path = folder / "p.c"
    path.write_text(text)
    return check([str(path)], check_options(timeout=20.0, **options))
