"""Names in formulas about two states: values before a call, unchanged fields, and new individuals."""

from __future__ import annotations

from collections.abc import Callable

NEW = "new"
"""The individuals that were created since."""


def old(name: str) -> str:
    """The name of a predicate's value at the earlier moment."""
    return f"old[{name}]"


def same(name: str) -> str:
    """The name of 'the field of this individual is as it was'."""
    return f"same[{name}]"


def name_in_old(name: str) -> str | None:
    """The predicate whose earlier value this is; None for other names."""
    return _inside(name, old)


def name_in_same(name: str) -> str | None:
    """The field that this compares with its earlier value; None for other names."""
    return _inside(name, same)


def _inside(name: str, wrap: Callable[[str], str]) -> str | None:
    before, after = wrap("\0").split("\0")
    inside = name[len(before) : len(name) - len(after)]
    return inside if name == wrap(inside) else None
