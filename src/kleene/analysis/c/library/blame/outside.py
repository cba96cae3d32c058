"""Errors that depend on what a function without a body returns: it need not return that."""

from __future__ import annotations

from collections.abc import Collection

from kleene.domains.explicit.explore import Confirmed
from kleene.domains.explicit.interpreter import run

_OTHERS = (0, 1, 64, 1 << 20)
"""Numbers that a function may return instead: none, a few, many."""


def depends_on(error: Confirmed, missing: Collection[str]) -> str:
    """The function without a body whose number an error depends on; empty if it is there with other numbers, too."""
    trace = error.trace
    for name in dict.fromkeys(reason for reason in trace.reasons if reason in missing):
        for other in _OTHERS:
            pairs = zip(trace.inputs, trace.reasons, strict=True)
            inputs = [other if reason == name else value for value, reason in pairs]
            again = run(
                trace.program, inputs, malloc_may_fail=trace.malloc_may_fail, choose_garbage=trace.choose_garbage
            )
            if again.fault is None or again.fault.place != error.fault.place:
                return name
    return ""
