"""The series of attempts: what an attempt before has run to its end is not run again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kleene.analysis.c.shape import analyse as analysis
from kleene.analysis.c.shape import plan
from kleene.c.options import ReadOptions
from kleene.c.reader import read_program
from kleene.passes.preparation import Prepared
from kleene.results.shape import ShapeResult
from kleene.semantics.translate import Translation

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "c"
MARKING = EXAMPLES / "trees" / "deutsch_schorr_waite.c"


def test_equal_translations_are_run_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The attempts `loads` and `local` made the same steps of this program, and both were run."""
    translations: list[Translation] = []

    def with_an_alarm(translation: Translation, shape: Any, *others: Any, **named: Any) -> ShapeResult:
        translations.append(translation)
        alarms = [alarm for alarm in translation.alarms.values() if alarm.kind == "null_dereference"]
        return ShapeResult(shape.name, alarms[:1], True, "", 1, 0.0, translation=translation)

    monkeypatch.setattr(plan, "run_shape", with_an_alarm)
    prepared = Prepared(read_program([str(MARKING)], ReadOptions()))
    result = analysis.analyse(prepared, malloc_may_fail=True, seconds=60.0)
    assert result.complete and result.alarms, "no attempt is a proof here"
    assert len(translations) > 3
    assert all(one not in translations[:k] for k, one in enumerate(translations))


def test_a_run_without_lanes_is_made_again_after_one_with_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A complete run with alarms that saw lanes was taken for one of an attempt before when it was made again: the
    result of the attempt was lost, and with it the alarms that other attempts look at."""
    lanes: list[tuple[str, ...]] = []

    def with_lanes(translation: Translation, shape: Any, *others: Any, **named: Any) -> ShapeResult:
        lanes.append(shape.lanes)
        alarms = [alarm for alarm in translation.alarms.values() if alarm.kind == "null_dereference"]
        result = ShapeResult(shape.name, alarms[:1], True, "", 1, 0.0, translation=translation)
        result.lanes = ("right",) if len(lanes) == 1 else ()
        return result

    monkeypatch.setattr(plan, "run_shape", with_lanes)
    prepared = Prepared(read_program([str(MARKING)], ReadOptions()))
    result = analysis.analyse(prepared, malloc_may_fail=True, seconds=60.0, only_class=None)
    assert lanes[:3] == [(), ("right",), ()]
    assert result.complete and result.alarms


FEW = 4000
"""Fewer structures than the proof of a tree balanced by heights has, but a tenth of them or more."""


@pytest.mark.parametrize("is_given", [False, True], ids=["the limit of each attempt", "a limit that is given"])
def test_attempts_with_too_many_structures_are_made_once_more_at_last(
    monkeypatch: pytest.MonkeyPatch, is_given: bool
) -> None:
    """Only the plain attempt was: a tree whose proof needs outcomes of comparisons stayed UNKNOWN above the limit."""
    own = tuple(a for a in analysis.ATTEMPTS if a.name in ("plain", "outcomes and loads"))
    monkeypatch.setattr(analysis, "ATTEMPTS", own)
    monkeypatch.setattr(analysis, "MOST_STRUCTURES", FEW)
    prepared = Prepared(read_program([str(EXAMPLES / "trees" / "avl.c")]))
    most = FEW if is_given else None
    result = analysis.analyse(prepared, malloc_may_fail=True, seconds=60.0, max_structures=most)
    assert (result.complete and not result.alarms) != is_given
    assert ("outcomes and loads" in result.shape_class and result.structures > FEW) != is_given
