"""The slices of a program, analysed one after the other: together they are one proof."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence, Set

from kleene.core.verdict import PROPERTIES
from kleene.passes.attempts.slices.slicing import Slice
from kleene.results.shape import ShapeResult
from kleene.semantics.translate import Alarm

CALLED_ERRORS = frozenset((*PROPERTIES["unreach"], *PROPERTIES["assert"]))
"""The errors that all slices keep: it is enough that one of them shows that an error call is not reached."""
LARGEST_SHARE = 0.5
"""The share of the time left for one slice: one that is hard leaves some for the others."""


def run_slices(
    slices: Sequence[Slice], analyse: Callable[[Slice, float], ShapeResult], kinds: Set[str], seconds: float
) -> ShapeResult:
    """The results of all slices as one; it ends with the first slice that is no proof."""
    start = time.monotonic()
    results: list[ShapeResult] = []
    for number, own in enumerate(slices):
        left = seconds - (time.monotonic() - start)
        result = analyse(own, left if number == len(slices) - 1 else left * LARGEST_SHARE)
        results.append(result)
        if not result.complete or any(alarm.kind in kinds - CALLED_ERRORS for alarm in result.alarms):
            break
    return _combine(results, len(slices), time.monotonic() - start)


def _combine(results: Sequence[ShapeResult], slices: int, seconds: float) -> ShapeResult:
    names = dict.fromkeys(result.shape_class for result in results)
    last = results[-1]
    combined = ShapeResult(
        f"{slices} slices: {'; '.join(names)}",
        _common_alarms(results),
        len(results) == slices and all(result.complete for result in results),
        last.reason,
        sum(result.structures for result in results),
        sum(result.stored for result in results),
        seconds,
    )
    combined.slices = tuple(results)
    return combined


def _common_alarms(results: Sequence[ShapeResult]) -> list[Alarm]:
    """The alarms of all slices; error calls that all of them reach."""
    every = dict.fromkeys(alarm for result in results for alarm in result.alarms)
    return [a for a in every if a.kind not in CALLED_ERRORS or all(a in result.alarms for result in results)]
