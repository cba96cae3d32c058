"""The rows of `equivalent.toml`: mutants that no test is to kill, each with the reason.

A row names a change (`was`, `now`), or with ``was = "*"`` all changes of a function: none of them can make a verdict
wrong. Where a function has the same change in several lines, `where` is the line that is meant.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tests.mutation.mutate import Mutant, mutants
from tests.mutation.table import module_file

KNOWN = Path(__file__).parent / "equivalent.toml"
ALL = "*"


def known() -> list[dict[str, str]]:
    """The rows of `equivalent.toml`."""
    rows: list[dict[str, str]] = tomllib.loads(KNOWN.read_text(encoding="utf-8")).get("equivalent", [])
    return rows


def is_known(mutant: Mutant, rows: Sequence[dict[str, str]]) -> bool:
    return any(_fits(row, mutant) for row in rows)


def _fits(row: dict[str, str], mutant: Mutant) -> bool:
    if (row["module"], row["function"]) != (mutant.module, mutant.function):
        return False
    if row["was"] == ALL:
        return True
    meant = "where" not in row or row["where"] == _lines(mutant.module)[mutant.line - 1].strip()
    return meant and (row["was"], row.get("now")) == (mutant.was, mutant.now)


@cache
def _lines(module: str) -> list[str]:
    return module_file(module).read_text(encoding="utf-8").splitlines()


def stale(rows: Sequence[dict[str, str]]) -> list[str]:
    """Rows without a reason, or for which there is no such mutant."""
    made = {row["module"]: mutants(row["module"], module_file(row["module"]).read_text()) for row in rows}
    wrong = [row for row in rows if not row.get("reason") or not any(_fits(row, m) for m in made[row["module"]])]
    return [f"{row['module']}: {row['function']}: {row['was']!r} -> {row.get('now', ALL)!r}" for row in wrong]
