"""Errors that depend on the text that a format gives: the bodies of `asprintf` and `vsnprintf` give any text.

A format and its arguments say which text it is, so a run in which it is another one shows nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from kleene.cfa.operations import FORMAT_BYTE, FORMAT_LENGTH
from kleene.domains.explicit.explore import Confirmed
from kleene.domains.explicit.interpreter import run
from kleene.domains.explicit.outside.vocabulary import vocabulary_of
from kleene.domains.explicit.state import GivenInputs, State
from kleene.domains.explicit.values import Value

_LENGTHS = (*range(17), 40, 200, 2_000)
"""Lengths of texts that are tried: numbers and short words, a line, more than a small buffer, more than a large one."""
_SHOWS = frozenset(("exit", "abort", "error"))
"""The ends of runs that say whether an error is there."""


class _OneText(GivenInputs):
    """The inputs of a run, but for those of formats: each gives the same text."""

    def __init__(self, values: Iterable[int], text: bytes, *, chooses_garbage: bool) -> None:
        super().__init__(values, chooses_garbage=chooses_garbage)
        self._text = text
        self._left = iter(text)

    def draw(self, state: State, low: int, high: int, why: str) -> Value:
        if why == FORMAT_LENGTH:
            self._left = iter(self._text)
            return len(self._text)
        if why == FORMAT_BYTE:
            return next(self._left, 0)
        return super().draw(state, low, high, why)


def depends_on_formats(error: Confirmed) -> bool:
    """Whether the error is not there if formats give another text."""
    trace = error.trace
    if FORMAT_LENGTH not in trace.reasons:
        return False
    formats = (FORMAT_LENGTH, FORMAT_BYTE)
    others = [value for value, why in zip(trace.inputs, trace.reasons, strict=True) if why not in formats]
    for text in (*vocabulary_of(trace.program).literals, *(b"1" * length for length in _LENGTHS)):
        source = _OneText(others, text, chooses_garbage=trace.choose_garbage)
        again = run(trace.program, source, malloc_may_fail=trace.malloc_may_fail)
        if again.outcome not in _SHOWS or error.fault.place in {fault.place for fault in again.faults}:
            continue
        if again.outcome != "error" or again.steps[-1].operation.place.file not in trace.program.library:
            return True  # in a function of the library, a text that is too long for its block hides the error
    return False
