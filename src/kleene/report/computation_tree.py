"""The computation tree of `assume` as text (YRS04, Fig. 6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kleene.report.drawing.terminal import structure_text
from kleene.symbolic.paper import NO_STORE, SEEN, Branch

_TEE, _CORNER, _BAR, _BLANK = "├─ ", "└─ ", "│  ", "   "


def computation_text(roots: Sequence[Branch]) -> str:
    """One tree for each input structure. A node shows a structure, an edge the value that was chosen."""
    return "\n".join(line for root in roots for line in (*_lines(root, "", ""), ""))


def _lines(branch: Branch, first: str, rest: str) -> Iterator[str]:
    choice = f"{branch.choice}: " if branch.choice else ""
    question = f" by {branch.question}" if branch.question else ""
    yield f"{first}{choice}{branch.fate}{question}"
    inner = rest + (_BAR if branch.children else _BLANK)
    if branch.fate not in (NO_STORE, SEEN):
        for line in structure_text(branch.structure).splitlines():
            yield f"{inner}{line}"
    for number, child in enumerate(branch.children, 1):
        last = number == len(branch.children)
        yield from _lines(child, rest + (_CORNER if last else _TEE), rest + (_BLANK if last else _BAR))
