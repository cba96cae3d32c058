"""Verdicts and findings about a program, as values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """TRUE: proved. FALSE: a confirmed error. UNKNOWN: neither, with a reason."""

    TRUE = "TRUE"
    FALSE = "FALSE"
    UNKNOWN = "UNKNOWN"

    def __str__(self) -> str:
        return self.value


def together(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict of several properties at once."""
    if Verdict.FALSE in verdicts:
        return Verdict.FALSE
    return Verdict.UNKNOWN if Verdict.UNKNOWN in verdicts else Verdict.TRUE


_BAD_DEREFERENCES = ("null_dereference", "dangling_dereference", "out_of_bounds", "uninitialized_pointer")
_BAD_FREES = ("double_free", "invalid_free")
PROPERTIES: dict[str, tuple[str, ...]] = {
    "memsafety": (*_BAD_DEREFERENCES, *_BAD_FREES, "memory_leak"),
    "memcleanup": ("memory_cleanup",),
    "unreach": ("unreach_call",),
    "assert": ("assertion",),
    "valid-deref": _BAD_DEREFERENCES,
    "valid-free": _BAD_FREES,
    "valid-memtrack": ("memory_leak",),
}
"""The properties that can be checked, and the kinds of findings that violate them."""
PARTS_OF_MEMSAFETY = ("valid-deref", "valid-free", "valid-memtrack")
"""The properties that are `memsafety` together, by their names in SV-COMP."""
DEFAULT_PROPERTIES = tuple(name for name in PROPERTIES if name not in PARTS_OF_MEMSAFETY)
"""The properties that are checked if none is asked for."""
LEAKS = frozenset(("memory_leak", "memory_cleanup"))
"""The kinds of lost blocks: at the loss of the last pointer, and at the end of the program."""
UNDEFINED = frozenset((*_BAD_DEREFERENCES, *_BAD_FREES))
"""Errors after which C promises nothing: no other property is proved of a program that may have one."""


def kinds_of(properties: Iterable[str]) -> frozenset[str]:
    """The kinds of errors that must be excluded to prove the properties."""
    return frozenset().union(*map(kinds_against, properties), UNDEFINED, {"unsupported"})


NO_PROMISE = "C promises nothing about what follows"
"""Why an error of the kinds `UNDEFINED` leaves properties open that it does not violate."""


def kinds_against(name: str) -> frozenset[str]:
    """The kinds of errors that violate one property: what is lost is not freed at the end either."""
    return frozenset(PROPERTIES[name]) | (LEAKS if name == "memcleanup" else frozenset())


def kind_in_runs(kind: str) -> str:
    """The kind of finding by which a run shows an alarm: it has one kind of leak, and details tell them apart."""
    return "memory_leak" if kind in LEAKS else kind


def property_of(kind: str) -> str | None:
    """The property that a kind of finding violates."""
    return next((name for name, kinds in PROPERTIES.items() if kind in kinds), None)


def violated_properties(kind: str, detail: str) -> list[str]:
    """The properties that an error violates, the most specific first; `detail` tells leaks apart."""
    if kind == "memory_leak":
        return ["memcleanup"] if detail == "exit" else ["memsafety", "valid-memtrack", "memcleanup"]
    return [name for name, kinds in PROPERTIES.items() if kind in kinds]


@dataclass(frozen=True)
class FindingStep:
    """One step of a trace: where, what, and the heap after it as text (empty where it did not change)."""

    file: str
    line: int
    column: int
    function: str
    text: str


@dataclass(frozen=True)
class Finding:
    """An error in the program. Confirmed: a run shows it, and `inputs` replay that run."""

    kind: str
    file: str
    line: int
    column: int
    function: str
    status: str
    message: str
    trace: tuple[FindingStep, ...] = ()
    inputs: tuple[int, ...] = ()

    @property
    def confirmed(self) -> bool:
        return self.status == "confirmed"

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.kind}: {self.message} ({self.status})"
