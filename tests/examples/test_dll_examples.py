"""Doubly linked lists: splice with both definitions of c[f, b] (thesis section 4.2)."""

from __future__ import annotations

from pathlib import Path

import pytest
from example_runs import ORDERS, Run, example, mutant

from kleene.logic.kleene import Kleene

WRONG_BACK = ("n13", "v->f->b == v may fail on some element of l")


@pytest.mark.parametrize("order", ORDERS)
def test_splice_is_proved_with_definition_7(order: str) -> None:
    result = example("dll/splice", order=order)
    assert result.report.verdict == "verified" and not result.messages
    assert result.proves("exit", "A(v) (r[f, l](v) & c[f, b](v) & c[b, f](v) & !c[f](v) & !c[b](v))")
    assert result.proves("exit", "E(v, w) (p(v) & e(w) & f(v, w) & b(w, v))")


@pytest.mark.parametrize("order", ORDERS)
def test_splice_is_not_proved_with_definition_6(order: str) -> None:
    result = example("dll/splice_weak", order=order)
    assert result.messages == {WRONG_BACK}
    values = result.values("exit", "A(v) c[f, b](v)")
    assert values.count(Kleene.UNKNOWN) == 6 and values.count(Kleene.TRUE) == 3


@pytest.mark.parametrize("order", ORDERS)
def test_figure_18(order: str) -> None:
    """After t = p->f the two definitions give equally many structures, but only (7) knows the edges at t."""
    strong, weak = example("dll/splice", order=order), example("dll/splice_weak", order=order)
    assert strong.counts() == weak.counts()
    assert strong.counts()["n3"] == 9
    exists = "E(v) t(v)"
    assert strong.values("n3", exists).count(Kleene.TRUE) == weak.values("n3", exists).count(Kleene.TRUE) == 6
    back = "E(v, w) (p(v) & t(w) & b(w, v))"
    loop = "E(v) (t(v) & f(v, v))"
    behind = "E(v, w) (!t(v) & !p(v) & f(v, w) & t(w))"
    reached = "A(v) (p(v) -> r[b, t](v))"
    assert _where(strong, exists, back) == [Kleene.TRUE] * 6
    assert _where(strong, exists, loop) == [Kleene.FALSE] * 6
    assert _where(strong, exists, behind) == [Kleene.FALSE] * 6
    assert _where(strong, exists, reached) == [Kleene.TRUE] * 6
    assert _where(weak, exists, back) == [Kleene.UNKNOWN] * 6
    assert _where(weak, exists, loop) == [Kleene.UNKNOWN] * 6
    assert _where(weak, exists, behind).count(Kleene.UNKNOWN) == 3  # where there is something behind t
    assert _where(weak, exists, reached) == [Kleene.UNKNOWN] * 6


def _where(result: Run, condition: str, formula: str) -> list[Kleene]:
    holds = result.values("n3", condition)
    return [v for v, c in zip(result.values("n3", formula), holds, strict=True) if c is Kleene.TRUE]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("n9 Set_Sel_DL(e, b, p) n10", "n9 Skip() n10", ("n10", "p and e may not be linked both ways")),
        ("n6 Set_Sel_DL(t, b, e) n7", "n6 Skip() n7", ("n12", "e and t may not be linked both ways")),
        ("n3 Set_Sel_DL(e, f, t) n4", "n3 Skip() n4", ("n14", "some element may not be reachable from l")),
        ("n3 Set_Sel_DL(e, f, t) n4", "n3 Set_Sel_DL(e, f, p) n4", ("n13", "l may be cyclic")),
    ],
)
def test_a_mutant_is_reported(tmp_path: Path, old: str, new: str, message: tuple[str, str]) -> None:
    assert message in mutant(tmp_path, "dll/splice", [("dll/splice.tvp", old, new)]).messages
