"""Names that all modules of the semantics share."""

from __future__ import annotations

from kleene.logic.formula import Atom, Formula

FREED, HEAP = "freed", "heap"
TEMPORARY = "$p"
"""Pointers that live during one operation only are called $p1, $p2, ..."""


def at(name: str, *variables: str) -> Formula:
    return Atom(name, variables)
