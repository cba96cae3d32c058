"""A one-line bug in a client of a container."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"


@dataclass(frozen=True)
class Bug:
    """One line of a program, changed: `kinds` are findings that show it."""

    name: str
    program: str
    line: str
    instead: str
    kinds: frozenset[str]
    malloc_may_fail: bool = False
    is_shown: bool = True
    """Whether a run shows it in time; else it must not be proved that there is none."""

    @property
    def text(self) -> str:
        """The program with the bug."""
        text = (PROGRAMS / self.program).read_text(encoding="utf-8")
        assert text.count(self.line) == 1, (self.name, text.count(self.line))
        return text.replace(self.line, self.instead)


NULL = frozenset(("null_dereference",))
DANGLING = frozenset(("dangling_dereference", "double_free"))
LEAK = frozenset(("memory_leak",))
BROKEN = NULL | DANGLING | LEAK | {"invalid_free", "uninitialized_pointer"}
"""A broken link shows in one of several ways."""
OUTSIDE = frozenset(("dangling_dereference", "out_of_bounds"))
