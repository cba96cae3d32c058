"""The slices of a program, analysed one after the other: together they are one proof."""

from __future__ import annotations

import time
from collections.abc import Sequence, Set
from typing import Protocol

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


GLANCE_SHARE = 0.3
"""The share of the time for glances at a slice and at wider ones, before all attempts are made at each of them."""


class Analyse(Protocol):
    """Analyses a slice, where some alarms do not matter, in so many seconds; at a glance, without rewritings."""

    def __call__(self, own: Slice, ignored: Set[Alarm], seconds: float, *, glance: bool = False) -> ShapeResult: ...


def run_slices(prepared: Prepared, analyse: Analyse, kinds: Set[str], seconds: float) -> ShapeResult:
    """The results of all slices as one; it ends with the first slice that is no proof.

    A slice with alarms is analysed again with the objects on which its conditions depend, before that. An alarm of an
    operation that all slices keep matters if all of them raise it: then each is asked again, until one excludes it.
    """
    start = time.monotonic()
    slices, common = prepared.slices, _common_alarms(prepared)
    results: list[ShapeResult] = []
    for number, own in enumerate(slices):
        left = seconds - (time.monotonic() - start)
        share = 1.0 if number == len(slices) - 1 else LARGEST_SHARE
        results.append(_analyse_wider(prepared, own, analyse, kinds, common, left * share))
        if not _is_proof(results[-1], kinds, common):
            return _combine(results, len(slices), common, time.monotonic() - start)
    for number, own in enumerate(slices):
        raised = {a for a in common & _in_all(results) if a.kind in kinds - COMMON_KINDS}
        left = seconds - (time.monotonic() - start)
        if not raised or left <= 0:
            break
        result = analyse(own, common - raised, left * LARGEST_SHARE)
        if _is_proof(result, kinds, common):
            results[number] = result
    return _combine(results, len(slices), common, time.monotonic() - start)


def _in_all(results: Sequence[ShapeResult]) -> set[Alarm]:
    """The alarms that all slices raise."""
    return set.intersection(*(set(result.alarms) for result in results))


def _analyse_wider(
    prepared: Prepared, own: Slice, analyse: Analyse, kinds: Set[str], common: Set[Alarm], seconds: float
) -> ShapeResult:
    """The result of a slice, or of a wider one.

    Most alarms of a slice that can be widened are due to what it does not know, so a glance is taken at all before.
    """
    start = time.monotonic()
    every = [own]
    while prepared.slicing is not None and len(every) <= MOST_WIDENINGS:
        wider = prepared.slicing.widen(every[-1])
        if wider is None:
            break
        every.append(wider)
    result: ShapeResult | None = None
    for glance, share in ((True, GLANCE_SHARE), (False, 1.0)) if len(every) > 1 else ((False, 1.0),):
        for each in every:
            left = seconds * share - (time.monotonic() - start)
            if left <= 0 and result is not None:
                break
            result = analyse(each, common, left, glance=glance)
            if _is_proof(result, kinds, common):
                return result
            if not result.complete:
                break
    assert result is not None
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
        seconds,
    )
    combined.slices = tuple(results)
    return combined
