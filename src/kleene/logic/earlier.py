"""Names in formulas about two states: values before a call, unchanged fields, and new individuals."""

from __future__ import annotations

NEW = "new"
"""The individuals that were created since."""


def old(name: str) -> str:
    """The name of a predicate's value at the earlier moment."""
    return f"old[{name}]"


def same(name: str) -> str:
    """The name of 'the field of this individual is as it was'."""
    return f"same[{name}]"
