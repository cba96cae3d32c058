"""How a C program is read: one value for everything that reads C or follows what was read."""

from __future__ import annotations

from dataclasses import dataclass

from kleene.c.parse import TARGETS
from kleene.c.unit import ERRORS
from kleene.diagnostics import UsageError


@dataclass(frozen=True)
class ReadOptions:
    """The meaning of the C files: what the preprocessor gets, the machine, and what the library functions do.

    `defines` are as for `-D`: "NAME" or "NAME=VALUE". `data_model` is "ILP32" (32-bit pointers and long) or "LP64".
    """

    include: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    entry: str = "main"
    data_model: str = "LP64"
    errors: frozenset[str] = ERRORS
    """The kinds of error calls that end a run. Others do what their body says, or abort."""
    cleanup_at_abort: bool = False
    """Whether an abort is an exit: an end of the program at which every block has to be freed."""
    malloc_may_fail: bool = True

    def __post_init__(self) -> None:
        if self.data_model not in TARGETS:
            raise UsageError(f"data model '{self.data_model}' is not known; it is {' or '.join(TARGETS)}")


DEFAULT = ReadOptions()
"""How C is read where nobody says otherwise."""
