"""What holds for every shipped example."""

from __future__ import annotations

import pytest
from example_runs import EXAMPLES, ORDERS, example

NAMES = sorted(
    str(path.relative_to(EXAMPLES).with_suffix(""))
    for path in EXAMPLES.rglob("*.tvp")
    if path.with_suffix(".tvs").is_file()
)
EMPTY = {
    **{f"derived/{name}": ["error"] for name in ("append", "create", "merge", "reverse")},
    "ambients/router": ["bug"],  # the error location
    "sorting/broken/insert_sort_stops_early": ["n15", "n16"],  # pl is NULL when the inner loop is left at once
}
"""Locations that must not be reached."""


@pytest.mark.parametrize("name", NAMES)
def test_updates_agree_with_definitions(name: str) -> None:
    """No structure contradicts the rules after an update: otherwise 'verified' could come from a wrong formula."""
    assert not [w for w in example(name).report.warnings if "contradicts the rule" in w]


@pytest.mark.parametrize("name", NAMES)
def test_every_location_is_reached(name: str) -> None:
    """Nothing is proved of a location without structures."""
    counts = example(name).counts()
    assert [location for location, count in counts.items() if count == 0] == EMPTY.get(name, [])


@pytest.mark.parametrize("name", NAMES)
def test_both_orders_report_the_same(name: str) -> None:
    default, tvla = (example(name, order=order) for order in ORDERS)
    assert default.messages == tvla.messages
    assert default.report.verdict == tvla.report.verdict
    assert not default.report.warnings
