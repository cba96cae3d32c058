"""The result of `kleene check --library`: a verdict for each exported function, and the invariant of the objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kleene.core.verdict import Finding, Verdict
from kleene.domains.explicit.explore import Confirmed
from kleene.results.check import CheckReport

LIBRARY_SCHEMA = "kleene.library/1"


@dataclass(frozen=True)
class Reading:
    """How a function was called: names of roles, of a fate and of an outcome (`readings/operations.py`)."""

    roles: tuple[str, ...]
    fate: str
    outcome: str


@dataclass(frozen=True)
class FunctionVerdict:
    """The verdict of one function.

    TRUE: no call that satisfies the precondition has an error. FALSE: `finding` is an error on an admissible input, and
    `sequence` are the operations that lead to it.
    """

    name: str
    head: str
    line: int
    verdict: Verdict
    precondition: tuple[str, ...] = ()
    reason: str = ""
    advice: str = ""
    """What the user can do about an UNKNOWN."""
    contract: str = ""
    """The precondition and the postcondition as a comment that can be pasted above the function."""
    candidates: tuple[str, ...] = ()
    """Contracts of which the first one that is proved of the function alone is written, those that say most first."""
    with_assertion: tuple[str, ...] = ()
    """Those to try where an assertion of the function fails under the others: it states what they do not."""
    no_contract: str = ""
    """Why there is none: what formulas cannot describe, or what keeps it from being proved of the function alone."""
    finding: Finding | None = None
    run: Confirmed | None = None
    """The run that shows the finding."""
    sequence: tuple[str, ...] = ()
    reading: Reading | None = None


@dataclass(frozen=True)
class LibraryModel:
    """The proved functions as clients see them: C text, and what must hold for a proof of a client with it."""

    text: str
    functions: tuple[str, ...]
    """The functions that the text defines."""
    others: tuple[str, ...]
    """Other functions and variables that the file exports: a client that uses one needs the source."""
    properties: tuple[str, ...]
    """What a client with the model can be proved to have: what is known of the library."""
    sources: tuple[tuple[str, str], ...]
    """The file and its headers, each with its digest."""
    settings: Mapping[str, Any]
    """How the library was read."""
    tool: str = ""
    """The version of Kleene that proved the functions."""
    digest: str = ""
    """The digest of all other members."""


@dataclass
class LibraryReport:
    """The result for one file."""

    file: str
    functions: list[FunctionVerdict]
    invariants: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """For each object type, sentences that hold of every object between two operations."""
    client: str = ""
    """The client as C text."""
    labels: dict[str, str] = field(default_factory=dict)
    """Names of the client's variables for pictures: the invariants call an object p."""
    check: CheckReport | None = None
    """The check of the client that proves the functions."""
    reason: str = ""
    assumptions: list[str] = field(default_factory=list)
    model: LibraryModel | None = None
    """The proved functions for checks of clients; None if nothing is proved."""
    breaches: list[str] = field(default_factory=list)
    """What held in an earlier result and does not any more."""
    seconds: float = 0.0

    @property
    def verdict(self) -> Verdict:
        values = {f.verdict for f in self.functions}
        if Verdict.FALSE in values:
            return Verdict.FALSE
        return Verdict.UNKNOWN if Verdict.UNKNOWN in values or not values else Verdict.TRUE
