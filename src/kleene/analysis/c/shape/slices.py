"""The slices of a program, analysed one after the other: together they are one proof."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence, Set

from kleene.cfa.operations import Error, Unsupported
from kleene.core.verdict import PROPERTIES
from kleene.passes.attempts.slices.slicing import Slice
from kleene.passes.preparation import Prepared
from kleene.results.shape import ShapeResult
from kleene.semantics.translate import ERROR_CALL, Alarm

COMMON_KINDS = frozenset((*PROPERTIES["unreach"], *PROPERTIES["assert"], "unsupported"))
"""The kinds of alarms of operations that all slices keep: error calls, and what is not supported."""
MOST_WIDENINGS = 2
"""How often a slice with alarms gets the objects on which it depends: each time, the others depend on fewer."""
LARGEST_SHARE = 0.5
"""The share of the time left for one slice: one that is hard leaves some for the others."""


def run_slices(
    prepared: Prepared, analyse: Callable[[Slice, float], ShapeResult], kinds: Set[str], seconds: float
) -> ShapeResult:
    """The results of all slices as one; it ends with the first slice that is no proof.

    A slice with alarms is analysed again with the objects on which its conditions depend, before that.
    """
    start = time.monotonic()
    slices, common = prepared.slices, _common_alarms(prepared)
    results: list[ShapeResult] = []
    for number, own in enumerate(slices):
        left = seconds - (time.monotonic() - start)
        share = 1.0 if number == len(slices) - 1 else LARGEST_SHARE
        result = _analyse_wider(prepared, own, analyse, lambda r: _is_proof(r, kinds, common), left * share)
        results.append(result)
        if not _is_proof(result, kinds, common):
            break
    return _combine(results, len(slices), common, time.monotonic() - start)


def _analyse_wider(
    prepared: Prepared,
    own: Slice,
    analyse: Callable[[Slice, float], ShapeResult],
    is_proof: Callable[[ShapeResult], bool],
    seconds: float,
) -> ShapeResult:
    """The result of a slice, or of a wider one."""
    start = time.monotonic()
    result = analyse(own, seconds)
    for _ in range(MOST_WIDENINGS):
        wider = prepared.slicing.widen(own) if prepared.slicing is not None else None
        left = seconds - (time.monotonic() - start)
        if wider is None or is_proof(result) or not result.complete or left <= 0:
            break
        own, result = wider, analyse(wider, left)
    return result


def _common_alarms(prepared: Prepared) -> frozenset[Alarm]:
    """The alarms of operations that all slices keep: it is enough that one slice shows that they are not reached."""
    labels = [edge.label for edge in prepared.cfa.edges]
    calls = [Alarm(x.kind, x.place, x.message or ERROR_CALL) for x in labels if isinstance(x, Error)]
    return frozenset([*calls, *(Alarm("unsupported", x.place, x.reason) for x in labels if isinstance(x, Unsupported))])


def _is_proof(result: ShapeResult, kinds: Set[str], common: Set[Alarm]) -> bool:
    """Whether a slice has no errors, apart from those that another one may exclude."""
    return result.complete and not any(a.kind in kinds and a not in common for a in result.alarms)


def _combine(results: Sequence[ShapeResult], slices: int, common: Set[Alarm], seconds: float) -> ShapeResult:
    names = dict.fromkeys(result.shape_class for result in results)
    every = dict.fromkeys(alarm for result in results for alarm in result.alarms)
    combined = ShapeResult(
        f"{slices} slices: {'; '.join(names)}",
        [a for a in every if a not in common or all(a in result.alarms for result in results)],
        len(results) == slices and all(result.complete for result in results),
        results[-1].reason,
        sum(result.structures for result in results),
        sum(result.stored for result in results),
        seconds,
    )
    combined.slices = tuple(results)
    return combined
