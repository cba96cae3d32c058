"""How the procedure for one functional field reads the updates of the field: by what they mean."""

from __future__ import annotations

import pytest

from kleene.symbolic.one_field.outlines import FieldChange, outlines
from kleene.symbolic.one_field.reading import NotSupported
from kleene.tvp.program import parse_program

TEXT = """
%p x(v) unique pointer
%p y(v) unique pointer
%p d(v)
%p n(v1, v2) function
%%
%action Step() {{ {new} {{ n(v1, v2) = ({formula}) }} }}
%%
s Step() e
"""


def change_of(formula: str, *, new: bool = False) -> FieldChange | None:
    program = parse_program(TEXT.format(formula=formula, new="%new" if new else ""))
    (edge,) = program.cfa.edges
    (outline,) = outlines([edge.label], program.vocabulary, "n")
    return outline.change


@pytest.mark.parametrize(
    "formula",
    [
        "x(v1) ? y(v2) : n(v1, v2)",
        "(n(v1, v2) & !x(v1)) | (x(v1) & y(v2))",
        "(y(v2) & x(v1)) | (!x(v1) & n(v1, v2))",
        "(x(v1) | n(v1, v2)) & (!x(v1) | y(v2))",
        "!x(v1) ? n(v1, v2) : y(v2)",
        "(x(v1) -> y(v2)) & (!x(v1) -> n(v1, v2))",
    ],
)
def test_a_field_that_is_set(formula: str) -> None:
    change = change_of(formula)
    assert change is not None
    assert (change.cell, str(change.target), change.keeps) == ("x", "y(v)", False)


@pytest.mark.parametrize("formula", ["n(v1, v2) & !x(v1)", "!(x(v1) | !n(v1, v2))", "x(v1) ? 0 : n(v1, v2)"])
def test_a_field_that_is_cut(formula: str) -> None:
    change = change_of(formula)
    assert change is not None
    assert (change.cell, str(change.target), change.keeps) == ("x", "0", False)


@pytest.mark.parametrize("formula", ["n(v1, v2) | (x(v1) & y(v2))", "!n(v1, v2) -> (y(v2) & x(v1))"])
def test_a_step_that_is_added(formula: str) -> None:
    change = change_of(formula)
    assert change is not None
    assert (change.cell, str(change.target), change.keeps) == ("x", "y(v)", True)


def test_what_is_created_has_no_steps() -> None:
    """`malloc(y); y->n = x` was not decided where malloc says that the new individual has no steps."""
    assert change_of("n(v1, v2) & !isNew(v1) & !isNew(v2)", new=True) is None
    change = change_of("(n(v1, v2) & !isNew(v2)) | (isNew(v1) & x(v2))", new=True)
    assert change is not None
    assert (change.cell, str(change.target)) == ("created 0", "x(v)")


@pytest.mark.parametrize(
    "formula",
    [
        "n(v1, v2) & !d(v1)",  # of several individuals
        "n(v1, v2) & !x(v2)",  # of all that lead to one
        "n(v2, v1)",
        "n(v1, v2) | (x(v1) & v1 == v2)",
        "(n(v1, v2) & !x(v1) & !y(v1)) | (x(v1) & y(v2)) | (y(v1) & x(v2))",
        "n(v1, v2) & (x(v1) | y(v1))",
    ],
)
def test_other_changes(formula: str) -> None:
    with pytest.raises(NotSupported):
        change_of(formula)
