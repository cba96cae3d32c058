"""Sorting: partial correctness of insertion sort, bubble sort, merge, reverse, and of them together (section 4.3)."""

from __future__ import annotations

from pathlib import Path

import pytest
from example_runs import EXAMPLES, ORDERS, analyse, example, mutant

SORTED = "A(v) (r[n, {0}](v) -> inOrder[dle, n](v))"  # formula (8)
DOWNWARDS = "A(v) (r[n, {0}](v) -> inROrder[dle, n](v))"
PERMUTATION = "A(v) (orig[n, {1}](v) <-> r[n, {0}](v))"  # formula (9)
LIST = "A(v) (r[n, {0}](v) -> !is[n](v) & !c[n](v))"

PROOFS = [
    ("insert_sort", "exit", SORTED.format("x")),
    ("insert_sort", "exit", PERMUTATION.format("x", "x")),
    ("insert_sort", "exit", LIST.format("x")),
    ("bubble_sort", "exit", SORTED.format("x")),
    ("bubble_sort", "exit", PERMUTATION.format("x", "x")),
    ("bubble_sort", "exit", LIST.format("x")),
    ("bubble_sort_values", "exit", SORTED.format("x")),
    ("bubble_sort_values", "exit", PERMUTATION.format("x", "x")),
    ("bubble_sort_values", "exit", LIST.format("x")),
    ("merge", "exit", SORTED.format("z")),
    ("merge", "exit", PERMUTATION.format("z", "z")),
    ("merge", "exit", LIST.format("z")),
    ("reverse", "exit", DOWNWARDS.format("w")),
    ("reverse", "exit", PERMUTATION.format("w", "z")),
    ("reverse", "exit", LIST.format("w")),
    ("pipeline", "l2", SORTED.format("x")),
    ("pipeline", "sorted_x2", PERMUTATION.format("x", "x")),
    ("pipeline", "l4", SORTED.format("x")),
    ("pipeline", "l4", SORTED.format("y")),
    ("pipeline", "l4", "A(v) !(r[n, x](v) & r[n, y](v))"),
    ("pipeline", "l5", SORTED.format("z")),
    ("pipeline", "l5", PERMUTATION.format("z", "z")),
    ("pipeline", "l6", DOWNWARDS.format("w")),
    ("pipeline", "l6", PERMUTATION.format("w", "z")),
    ("pipeline", "l6", "A(v) (r[n, w](v) & !is[n](v) & !c[n](v))"),
]

BROKEN = {
    "insert_sort_reversed": {("sorted1", "x may not be sorted")},
    "insert_sort_loses_element": {
        ("n6", "memory leak: pl = NULL loses elements"),
        ("n8", "NULL dereference: l->data"),
        ("n9", "memory leak: pr->n = NULL loses elements"),
        ("n14", "memory leak: x = r loses elements"),
        ("n19", "NULL dereference: l->n"),
        ("n22", "memory leak: pr = NULL loses elements"),
        ("n24", "memory leak: pl = NULL loses elements"),
        ("n25", "memory leak: l = NULL loses elements"),
        ("sorted2", "x may not be a permutation of what was recorded for x"),
    },
    "insert_sort_stops_early": {("sorted1", "x may not be sorted")},
    "bubble_sort_reversed": {("sorted1", "x may not be sorted")},
    "bubble_sort_forgets_change": {("sorted1", "x may not be sorted")},
    "bubble_sort_no_relink": {
        ("n3", "memory leak: p = NULL loses elements"),
        ("n19", "memory leak: p = yn loses elements"),
        ("n21", "memory leak: p = y loses elements"),
        ("sorted", "x may reach a shared element"),
        ("sorted2", "x may not be a permutation of what was recorded for x"),
    },
    "merge_reversed": {("merged1", "z may not be sorted")},
    "merge_loses_element": {
        ("n31", "memory leak: y = NULL loses elements"),
        ("merged2", "z may not be a permutation of what was recorded for z"),
    },
    "reverse_no_relink": {
        ("n8", "memory leak: t = NULL loses elements"),
        ("reversed2", "w may not be a permutation of what was recorded for z"),
    },
}

NOT_SORTED = "x may not be sorted"
MUTANTS = [
    ("insert_sort", "proc_insert_sort.tvp", "AT(12) Set_Next_L(r, l) AT(13)", "AT(12) Skip() AT(13)", None),
    ("insert_sort", "proc_insert_sort.tvp", "AT(14) Copy_Var_L(LIST, r) AT(17)", "AT(14) Skip() AT(17)", None),
    (
        "insert_sort",
        "proc_insert_sort.tvp",
        "AT(21) Copy_Var_L(r, rn) AT(3)",
        "AT(21) Skip() AT(22)",
        ("sorted1", NOT_SORTED),
    ),
    (
        "insert_sort",
        "insert_sort.tvp",
        "sorted1 Assert_Sorted_L(x) sorted2",
        "sorted1 Assert_Sorted_Downwards_L(x) sorted2",
        ("sorted1", "x may not be sorted in reverse order"),
    ),
    (
        "insert_sort",
        "sorting_pred.tvp",
        "%r !dle(v1, v2) ==> dle(v2, v1)",
        "",
        ("sorted1", NOT_SORTED),
    ),
    (
        "bubble_sort",
        "proc_bubble_sort.tvp",
        "AT(7) Is_Null_Var(yn) AT(2)",
        "AT(7) Skip() AT(2)",
        ("sorted1", NOT_SORTED),
    ),
    ("bubble_sort", "proc_bubble_sort.tvp", "AT(14) Set_Next_L(yn, y) AT(15)", "AT(14) Skip() AT(15)", None),
    (
        "merge",
        "proc_merge.tvp",
        "AT(5) Greater_L(x, y) AT(9)",
        "AT(5) Skip() AT(9)",
        ("merged1", "z may not be sorted"),
    ),
    ("reverse", "proc_reverse.tvp", "AT(5) Get_Next_L(z, z) AT(6)", "AT(5) Set_Null_L(z) AT(6)", None),
    (
        "pipeline",
        "pipeline.tvp",
        "l6a Assert_Sorted_Downwards_L(w) l6b",
        "l6a Assert_Sorted_L(w) l6b",
        ("l6a", "w may not be sorted"),
    ),
    (
        "pipeline",
        "pipeline.tvp",
        "l3 Record_L(y) sort_y_1",
        "l3 Record_L(y) sorted_y",
        ("sorted_y", "y may not be sorted"),
    ),
]


@pytest.mark.parametrize("macro", [None, "FORGETS_CHANGE", "REVERSED_COMPARISON"])
def test_bubble_sort_by_values_in_single_structure_mode(macro: str | None) -> None:
    """Section 7.6.1: accurate with one structure for each vector of nullary predicates; faults are still seen."""
    macros = {"NOT_NULL": ""} | ({} if macro is None else {macro: ""})
    path = EXAMPLES / "sorting/bubble_sort_values.tvp"
    for join in ("ind", "part"):
        result = analyse(path, macros=macros, join=join)
        assert bool(result.messages) == (macro is not None)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", ["insert_sort", "bubble_sort", "bubble_sort_values", "merge", "reverse", "pipeline"])
def test_verified(name: str, order: str) -> None:
    result = example(f"sorting/{name}", order=order)
    assert result.report.verdict == "verified" and not result.messages
    assert result.structures("exit")


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("name", "location", "formula"), PROOFS)
def test_proofs(name: str, location: str, formula: str, order: str) -> None:
    assert example(f"sorting/{name}", order=order).proves(location, formula)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", BROKEN)
def test_broken_variants_are_reported(name: str, order: str) -> None:
    result = example(f"sorting/broken/{name}", order=order)
    assert result.report.verdict == "messages"
    assert result.messages == BROKEN[name]


@pytest.mark.parametrize(("name", "file", "old", "new", "message"), MUTANTS)
def test_a_mutant_is_reported(
    tmp_path: Path, name: str, file: str, old: str, new: str, message: tuple[str, str] | None
) -> None:
    result = mutant(tmp_path, f"sorting/{name}", [(f"sorting/{file}", old, new)])
    assert result.report.verdict == "messages"
    assert message is None or message in result.messages


@pytest.mark.parametrize("order", ORDERS)
def test_the_structures_of_figures_26_to_30(order: str) -> None:
    """Three structures at l1, l2, l5 and l6 (no element, one, more), nine at l4 (two lists)."""
    counts = example("sorting/pipeline", order=order).counts()
    assert {location: counts[location] for location in ("l1", "l2", "l3", "l4", "l5", "l6")} == {
        "l1": 3,
        "l2": 3,
        "l3": 9,
        "l4": 9,
        "l5": 3,
        "l6": 3,
    }
    assert example("sorting/insert_sort", order=order).counts()["exit"] == 3


def test_bubble_sort_of_the_empty_list_dereferences_null() -> None:
    result = example("sorting/bubble_sort", "sorting/lists")
    assert result.messages == {("n6", "NULL dereference: y->n")}


def test_order_predicates_as_abstraction_predicates() -> None:
    result = analyse(EXAMPLES / "sorting/insert_sort.tvp", macros={"ORDER_ABS": "1"})
    assert not result.messages
    assert result.proves("exit", SORTED.format("x"))
    assert result.report.statistics.generated > 5 * example("sorting/insert_sort").report.statistics.generated


def test_insertion_sort_finishes_within_seconds() -> None:
    """The thesis needed 160 seconds; a generous limit for a slow machine."""
    assert example("sorting/insert_sort").report.seconds["analysis"] < 10
