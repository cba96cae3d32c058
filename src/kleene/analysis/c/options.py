"""The options of `kleene check`: reading the program, the properties to check, and the effort."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from kleene.c.options import DEFAULT, ReadOptions
from kleene.c.unit import ERRORS
from kleene.core.verdict import DEFAULT_PROPERTIES, PROPERTIES

if TYPE_CHECKING:
    from kleene.analysis.c.refinement import RefineSettings

MOST_SECONDS = 60.0
"""Seconds of a check by default (`--timeout`)."""


@dataclass(frozen=True)
class CheckOptions:
    """What to check and how long. The properties, not `read`, determine which error calls end a run."""

    properties: tuple[str, ...] = DEFAULT_PROPERTIES
    read: ReadOptions = field(default=DEFAULT)
    timeout: float = MOST_SECONDS
    """Seconds for the whole command."""
    max_structures: int | None = None
    """The most structures of an attempt; without a number, attempts have limits of their own."""
    shape_class: str | None = None
    whole_heaps: bool = False
    """Whether heaps are not taken apart where their structures are combinations of few parts."""
    domain: str = "all"
    refine: RefineSettings | None = None
    instrumentation: bool = True
    """Whether the FESA domain counts edges (its `--no-instrumentation`)."""
    tell: Callable[[str], None] = field(default=lambda stage: None, compare=False, repr=False)
    """Is told which phase runs next, for people who wait."""
    self_check: float | None = None
    """Seconds of runs whose states are looked up in the invariant of each proof; None for a small share of the time."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "read", replace(self.read, errors=error_kinds(self.properties)))


def error_kinds(properties: Sequence[str]) -> frozenset[str]:
    """The kinds of error calls that violate one of the properties."""
    return frozenset(kind for name in properties for kind in PROPERTIES[name]) & ERRORS


def check_options(**given: Any) -> CheckOptions:
    """The options from names of `CheckOptions` and of `ReadOptions` together, for callers from Python."""
    names = {f.name for f in fields(ReadOptions)}
    reading = {name: value for name, value in given.items() if name in names}
    return CheckOptions(
        read=ReadOptions(**reading), **{name: value for name, value in given.items() if name not in names}
    )
