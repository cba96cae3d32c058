"""What can go wrong, where it is in the source, and how it is shown.

Every error that a user can cause is a `KleeneError`; the command line turns it into
one line `file:line:column: what is wrong`, the source line and a caret.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

_LINE_END = re.compile("\r\n|\n|\r")
_INVISIBLE = {
    **{code: "?" for code in (*range(0x20), 0x7F) if code != 0x09},
    **dict.fromkeys(range(128, 160), "¿"),
    **dict.fromkeys((*range(8203, 8208), *range(8232, 8239), *range(8288, 8304), 65279), "�"),
}
"""Characters that move the cursor, change colours or the direction of text: what a name or a line of a program has of
them could make a terminal show something else. Each becomes one of as many bytes in UTF-8, so that columns stay."""


def lines_in(text: str) -> list[str]:
    """The lines of a program as compilers count them: a form feed ends none, which `str.splitlines` thinks it does."""
    lines = _LINE_END.split(text)
    return lines[:-1] if lines[-1] == "" else lines


def visible(text: str) -> str:
    """The text with a visible character in place of each invisible one; a lone surrogate is one, too."""
    return text.translate(_INVISIBLE).encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a source text: the line itself is kept, so that it can be shown with a caret."""

    file: str
    line: int
    column: int
    text: str = ""
    included_from: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{visible(self.file)}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message about the input, with its place if it has one."""

    message: str
    position: Position | None = None
    severity: str = "error"

    def __str__(self) -> str:
        place = f"{self.position}: " if self.position else ""
        label = "" if self.severity == "error" else f"{self.severity}: "
        lines = [f"{place}{label}{self.message}"]
        if self.position is not None:
            if self.position.text:
                shown = visible(self.position.text.replace("\t", " "))
                lines.append(f"    {shown.rstrip()}")
                lines.append("    " + " " * (self.position.column - 1) + "^")
            lines.extend(f"    included from {place}" for place in self.position.included_from)
        return "\n".join(lines)


class KleeneError(Exception):
    """The root of all errors that Kleene raises on purpose."""


class UsageError(KleeneError):
    """A command or a call that cannot be carried out as it was written."""


class InputError(KleeneError):
    """An input file that cannot be read: one or more diagnostics, in source order."""

    def __init__(self, diagnostics: Iterable[Diagnostic] | str, position: Position | None = None) -> None:
        if isinstance(diagnostics, str):
            diagnostics = [Diagnostic(diagnostics, position)]
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(str(d) for d in self.diagnostics))


class Limit(Enum):
    """What ends a run early: a limit of the user, a size that Kleene cannot represent, a reason to go another way."""

    TIME = "time"
    MEMORY = "memory"
    INTERRUPTION = "the user interrupts"
    STRUCTURES = "structures"
    ROUNDS = "rounds of refinement"
    MESSAGES = "messages"
    SIZE = "size of a program or of a structure"
    PRECISION = "too little is known"
    CYCLE = "a cycle may be closed"
    LANES = "cells skip nodes of a list"
    PARTS = "structures are combinations of parts"
    LEAK_SUSPECTED = "a block may be lost"
    WARNING = "a warning is raised"
    DONE = "nothing is left to look for"


class LimitReached(KleeneError):
    """A run ends early; the catcher keeps the result so far. `limit` decides what follows, the text is for people."""

    def __init__(self, text: str, limit: Limit) -> None:
        super().__init__(text)
        self.limit = limit

    def __reduce__(self) -> tuple[type[LimitReached], tuple[str, Limit]]:
        return type(self), (str(self), self.limit)


class InternalCheckError(KleeneError):
    """A check of our own result failed: a bug in Kleene, never the user's fault."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A suggestion such as ``; did you mean 'x'?``, or nothing when no known name is near."""
    import difflib  # for mistakes only

    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean '{near[0]}'?" if near else ""


def check_name(file: str) -> None:
    """Refuse the name of a file that is not UTF-8: reports could not name it."""
    try:
        file.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError(f"'{visible(file)}': the name of this file is not UTF-8: rename it") from None
