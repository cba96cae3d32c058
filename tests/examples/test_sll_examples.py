"""The twelve programs on singly linked lists (thesis section 4.1, Table 4)."""

from __future__ import annotations

from pathlib import Path

import pytest
from example_runs import EXAMPLES, ORDERS, analyse, example, mutant

from kleene.logic.kleene import Kleene

MESSAGES: dict[str, set[tuple[str, str]]] = {
    "search": set(),
    "null_deref": {("n2", "NULL dereference: t->data"), ("n3", "NULL dereference: t->n")},
    "delete": set(),
    "del_all": set(),
    "insert": set(),
    "create": set(),
    "merge": set(),
    "reverse": set(),
    "fumble": {
        ("n7", "memory leak: t = NULL loses elements"),
        ("n9", "some element may not be reachable from y"),
    },
    "rotate": {
        ("n5", "memory leak: y->n = NULL loses elements"),
        ("n8", "some element may not be reachable from x"),
    },
    "swap": {
        ("n4", "NULL dereference: x->n"),
        ("n7", "NULL dereference: x->n"),
        ("n8", "NULL dereference: x->n"),
        ("n10", "memory leak: p = NULL loses elements"),
        ("n12", "some element may not be reachable from x"),
    },
    "getlast": set(),
}

LIST_OF_ALL = "A(v) (r[n, {0}](v) & !is[n](v) & !c[n](v))"
LIST = "A(v) (r[n, {0}](v) -> !is[n](v) & !c[n](v))"
NULL = "!(E(v) {0}(v))"

FINAL = [
    ("search", LIST_OF_ALL.format("x")),
    ("null_deref", LIST_OF_ALL.format("x")),
    ("delete", LIST_OF_ALL.format("x")),
    ("delete", NULL.format("e")),
    ("del_all", "!(E(v) v == v)"),
    ("insert", LIST_OF_ALL.format("x")),
    ("insert", "E(v) x(v)"),
    ("create", LIST_OF_ALL.format("x")),
    ("merge", LIST_OF_ALL.format("z")),
    ("merge", NULL.format("x") + " & " + NULL.format("y")),
    ("reverse", LIST_OF_ALL.format("y")),
    ("reverse", NULL.format("x") + " & " + NULL.format("t")),
    ("fumble", LIST.format("y")),
    ("rotate", LIST.format("x")),
    ("rotate", "A(v, w) (y(v) -> !n(v, w))"),
    ("swap", LIST.format("x")),
    ("getlast", LIST_OF_ALL.format("x")),
    ("getlast", "A(v, w) (t(v) -> !n(v, w))"),
    ("getlast", "(E(v) x(v)) <-> (E(v) t(v))"),
]

MUTANTS = [
    ("search", "n2 Is_Not_Null_Var(t) n3", "n2 Skip() n3", ("n3", "NULL dereference: t->data")),
    ("delete", "n10 Set_Next_Null_L(e) n11", "n10 Skip() n11", ("n11", "Internal error! assume that e->n == NULL")),
    (
        "delete",
        "n7 Copy_Var_L(x, t) n10",
        "n7 Skip() n10",
        ("n11", "dangling pointer: a variable points to the element that free(e) frees"),
    ),
    (
        "delete",
        "n8 Set_Next_Null_L(p) n9         //     else p->n = t;\nn9 Set_Next_L(p, t) n10",
        "n8 Skip() n10",
        ("n11", "dangling pointer: an n-field points to the element that free(e) frees"),
    ),
    ("del_all", "n5 Free_L(t) n1", "n5 Set_Null_L(t) n1", ("n5", "memory leak: t = NULL loses elements")),
    ("del_all", "n1 Is_Null_Var(x) n6", "n1 Skip() n6", ("n6", "x may be different from NULL")),
    ("insert", "n12 Set_Next_L(e, y) n13", "n12 Skip() n13", ("n13", "memory leak: y = NULL loses elements")),
    ("insert", "n9 Copy_Var_L(x, e) n12", "n9 Skip() n12", ("n15", "memory leak: e = NULL loses elements")),
    ("create", "n2 Set_Next_L(t, x) n3", "n2 Skip() n3", ("n3", "memory leak: x = t loses elements")),
    ("create", "n2 Set_Next_L(t, x) n3", "n2 Set_Next_L(t, t) n3", ("n5", "x may point to a cyclic list")),
    ("merge", "n27 Set_Next_L(t, y) n28", "n27 Skip() n28", ("n31", "memory leak: y = NULL loses elements")),
    ("merge", "n18 Copy_Var_L(t, x) n19", "n18 Skip() n19", ("n16", "memory leak: t->n = NULL loses elements")),
    ("reverse", "n7 Set_Next_L(y, t) n8", "n7 Skip() n8", ("n8", "memory leak: t = NULL loses elements")),
    ("reverse", "n6 Set_Next_Null_L(y) n7", "n6 Skip() n7", ("n7", "Internal error! assume that y->n == NULL")),
    ("getlast", "n3 Is_Null_Var(y) n6", "n3 Skip() n6", ("n6", "t may not be the last element")),
]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", MESSAGES)
def test_exactly_the_expected_messages(name: str, order: str) -> None:
    result = example(f"sll/{name}", order=order)
    assert result.messages == MESSAGES[name]
    assert result.report.verdict == ("messages" if MESSAGES[name] else "verified")
    assert result.structures("exit")


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("name", "formula"), FINAL)
def test_final_shapes(name: str, formula: str, order: str) -> None:
    assert example(f"sll/{name}", order=order).proves("exit", formula)


@pytest.mark.parametrize(("name", "old", "new", "message"), MUTANTS)
def test_a_mutant_is_reported(tmp_path: Path, name: str, old: str, new: str, message: tuple[str, str]) -> None:
    assert message not in MESSAGES[name]
    assert message in mutant(tmp_path, f"sll/{name}", [(f"sll/{name}.tvp", old, new)]).messages


@pytest.mark.parametrize(
    ("name", "message"),
    [("null_deref", ("n2", "NULL dereference: t->data")), ("swap", ("n4", "NULL dereference: x->n"))],
)
def test_frozen_structures_leave_the_first_message_only(name: str, message: tuple[str, str]) -> None:
    assert analyse(EXAMPLES / f"sll/{name}.tvp", freeze=True).messages == {message}


@pytest.mark.parametrize("order", ORDERS)
def test_create_from_nothing_gives_the_three_structures_of_figure_26(order: str) -> None:
    result = example("sll/create", "sll/empty", order)
    assert not result.messages
    assert sorted(s.size for s in result.structures("exit")) == [0, 1, 2]


@pytest.mark.parametrize("order", ORDERS)
def test_reverse_at_the_loop_head(order: str) -> None:
    """Fig. 9: x is what is left and y what is done, in every combination of 0, 1 and 2 or more elements."""
    result = example("sll/reverse", order=order)
    assert result.counts()["n2"] == 9 and result.counts()["exit"] == 3
    kinds = [result.values("n2", f"E(v) {left}(v)") for left in ("x", "y")] + [
        result.values("n2", f"E(v) (r[n, {left}](v) & !{left}(v))") for left in ("x", "y")
    ]
    combinations = set(zip(*kinds, strict=True))
    assert len(combinations) == 9 and Kleene.UNKNOWN not in {value for kind in kinds for value in kind}
    assert result.proves("n2", "A(v) (r[n, x](v) <-> !r[n, y](v))")


def test_rotate_loses_what_figure_12_loses() -> None:
    """With three elements or more, the middle ones may not be reachable and there is a superfluous edge to x."""
    result = example("sll/rotate")
    reached = result.values("exit", "A(v) r[n, x](v)")
    assert reached.count(Kleene.UNKNOWN) == 1 and reached.count(Kleene.TRUE) == 3
    back = result.values("exit", "E(v, w) (n(v, w) & x(w))")
    assert back[reached.index(Kleene.UNKNOWN)] is Kleene.UNKNOWN
    assert all(back[i] is Kleene.FALSE for i, value in enumerate(reached) if value is Kleene.TRUE)


SINGLE = {**MESSAGES, "delete": {("n16", "x may reach a shared element")}}
"""In single-structure mode (thesis section 7.6, Table 9) `delete` alone is less precise."""


@pytest.mark.parametrize("name", MESSAGES)
def test_single_structure_mode(name: str) -> None:
    result = analyse(EXAMPLES / f"sll/{name}.tvp", macros={"NOT_NULL": "1"}, join="ind")
    assert result.messages == SINGLE[name]
    assert result.report.statistics.stored < example(f"sll/{name}").report.statistics.stored
