"""`--order tvla` reproduces TVLA 3: the number of structures it stores and generates on the same list programs.

The figures are TVLA's own, for programs with the same vocabulary and control flow as those of examples/tvp/derived.
"""

from pathlib import Path

import pytest

from kleene.analysis.tvp.options import RunOptions
from kleene.analysis.tvp.run import prepare, run
from kleene.structures.tvs_reader import read_tvs
from kleene.tvp.program import load_program

FOLDER = Path(__file__).parents[2] / "examples" / "tvp" / "derived"

TOTALS = {  # stored, generated
    "reverse": (57, 73),
    "search": (21, 27),
    "careless": (37, 49),
    "last": (36, 44),
    "create": (24, 24),
    "release": (14, 14),
    "swap": (38, 38),
    "append": (76, 96),
    "merge": (231, 327),
}
REVERSE = {"a": 3, "b": 12, "exit": 4, "c": 8, "d": 6, "e": 6, "f": 9, "g": 9, "error": 0}
MERGE = dict(
    zip(
        [f"a{k:02}" for k in range(1, 26)],
        [1, 1, 1, 1, 1, 1, 1, 4, 26, 23, 20, 20, 11, 11, 20, 11, 11, 34, 6, 3, 3, 3, 3, 3, 6],
        strict=True,
    )
) | {"exit": 6, "error": 0}
MESSAGES = {
    "careless": {("d", "e is NULL where its n is read")},
    "swap": {
        ("exit", "an element may not be reachable from x"),
        ("e", "x is NULL where its n is read"),
        ("h", "x is NULL where its n is written"),
    },
}


def report_of(name, order):
    program = load_program(FOLDER / f"{name}.tvp")
    given = read_tvs(FOLDER / f"{name}.tvs", program.vocabulary).structures
    return run(prepare(program, RunOptions(order=order, self_check=True)), given)


@pytest.mark.parametrize("name", TOTALS)
def test_totals_and_messages_are_those_of_tvla(name):
    report = report_of(name, "tvla")
    assert (report.statistics.stored, report.statistics.generated) == TOTALS[name]
    assert {(m.location, m.text) for m in report.messages} == MESSAGES.get(name, set())


@pytest.mark.parametrize(("name", "counts"), [("reverse", REVERSE), ("merge", MERGE)])
def test_counts_at_every_location_are_those_of_tvla(name, counts):
    assert {x.name: len(x.structures) for x in report_of(name, "tvla").locations} == counts


@pytest.mark.parametrize("name", TOTALS)
def test_the_default_order_reports_the_same_with_no_more_structures(name):
    report = report_of(name, "inner-first")
    assert {(m.location, m.text) for m in report.messages} == MESSAGES.get(name, set())
    assert report.statistics.stored <= TOTALS[name][0]
    assert report.statistics.generated <= TOTALS[name][1]
