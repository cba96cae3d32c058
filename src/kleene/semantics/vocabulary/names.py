"""Names that all modules of the semantics share."""

from __future__ import annotations

from kleene.logic.formula import Atom, Formula

FREED, HEAP = "freed", "heap"
OUTER = "heap outside"
"""Whether there are blocks that are not freed and that the function cannot reach, for calls of exit()."""
OPAQUE = "opaque"
"""Objects that a function may not look into, since it knows of them by back pointers only."""
MARKER = "$cut"
"""Pointers $cut1, $cut2, ... mark the objects of a function that others point to."""
TEMPORARY = "$p"
"""Pointers that live during one operation only are called $p1, $p2, ..."""


def at(name: str, *variables: str) -> Formula:
    return Atom(name, variables)
