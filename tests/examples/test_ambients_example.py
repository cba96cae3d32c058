"""The router in the calculus of mobile ambients (thesis section 4.4), in single-structure mode."""

from __future__ import annotations

from pathlib import Path

import pytest
from example_runs import EXAMPLES, analyse, example, mutant

from kleene.logic.kleene import Kleene

UNIQUE, POSITION = ("all", "Unique breached!"), ("all", "Position breached!")
AT = "E(v, w) (p(v) & {0}(w) & pa(v, w))"


@pytest.mark.parametrize("order", ["inner-first", "tvla"])
def test_uniqueness_and_position(order: str) -> None:
    result = example("ambients/router", order=order)
    assert result.report.options["join"] == "ind" and result.report.options["action"] == "pub"
    assert result.report.verdict == "verified" and not result.messages
    assert not result.structures("bug")
    assert result.proves("all", "E(v) p(v)")
    assert result.proves("all", "A(v1, v2) (p(v1) & p(v2) -> v1 == v2)")


def test_the_packet_is_in_every_place_and_in_one_at_a_time() -> None:
    result = example("ambients/router")
    places = [result.values("all", AT.format(name)) for name in ("top", "r1", "r2", "r3")]
    assert all(Kleene.TRUE in place for place in places)
    assert all(sorted(str(v) for v in at) == ["0", "0", "0", "1"] for at in zip(*places, strict=True))


def test_one_structure_for_each_nullary_vector() -> None:
    single = example("ambients/router")
    several = analyse(EXAMPLES / "ambients/router.tvp", join="part", self_check=False)
    assert not several.messages
    assert single.report.statistics.stored < several.report.statistics.stored / 5


def test_without_the_nullary_predicates_the_position_is_lost(tmp_path: Path) -> None:
    change = ("n(v2) & pa+(v1, v2))\n", "n(v2) & pa+(v1, v2)) nonabs\n")
    result = mutant(tmp_path, "ambients/router", [("ambients/amb_pred.tvp", *change)])
    assert result.messages == {POSITION}


def test_a_packet_under_a_replication_is_not_unique(tmp_path: Path) -> None:
    """The node u11 below the replication of r1 is made a packet as well."""
    change = ("ambients/router.tvs", "  p = {u1}\n", "  p = {u1, u11}\n")
    result = mutant(tmp_path, "ambients/router", [change], complete_input=True, max_messages=1)
    assert UNIQUE in result.messages


def test_a_packet_that_keeps_its_old_place_is_reported(tmp_path: Path) -> None:
    change = ("amb_stat.tvp", "(v1 == fp & v2 == fppp) |", "(v1 == fp & v2 == fppp) | pa(v1, v2) & v1 == fp |")
    result = mutant(tmp_path, "ambients/router", [(f"ambients/{change[0]}", *change[1:])], max_messages=1)
    assert POSITION in result.messages
