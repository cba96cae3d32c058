"""Where a pointer was before an action that sets it: left out of the problem if nothing depends on it."""

from __future__ import annotations

from functools import partial

import pytest

from kleene.symbolic import Theory
from kleene.symbolic.contracts.action_calls import action_of
from kleene.symbolic.one_field.decide import decide, decide_actions
from kleene.symbolic.one_field.outlines import outlines
from kleene.symbolic.one_field.overwritten import without_overwritten
from kleene.tvp.program import Program, parse_program

from .samples import formula, structure

TEXT = """
%s Pointers {x, y}
foreach (z in Pointers) { %p z(v) unique pointer }
%p n(v1, v2) function
%i is(v) = E(v1, v2) (n(v1, v) & n(v2, v) & v1 != v2)
foreach (z in Pointers) { %i r[z](v) = E(w) (z(w) & n*(w, v)) }
%i c(v) = n+(v, v)
DECLARATION
%%
%action Malloc(a) { %new { a(v) = isNew(v) } }
%action Move(a, b) { { a(v) = b(v) } }
%action Test(a) { %p E(v) r[a](v) }
%action Set_Next(a, b) { %p E(v) a(v) { n(v1, v2) = (a(v1) ? b(v2) : n(v1, v2)) } }
%%
s Malloc(x) e
"""
LASSO = """
%n = {a, u, k}
%p = {
  sm = {u:1/2, k:1/2}
  x = {a}
  y = {OLD:1/2}
  n = {a->u:1/2, a->k:1/2, u->u:1/2, u->k:1/2, k->k:1/2}
  is = {k:1/2}
  r[x] = {a, u, k}
  r[y] = {OLD:1/2}
  c = {k}
}
"""
ANYWHERE = LASSO.replace("OLD:1/2", "a:1/2, u:1/2, k:1/2")
FIVE_NODES = """
%n = {a, u, b, k, g}
%p = {
  sm = {u:1/2, k:1/2, g:1/2}
  x = {a}
  y = {b}
  n = {a->u:1/2, u->u:1/2, u->b:1/2, a->b:1/2, b->k:1/2, k->k:1/2, k->b:1/2, b->b:1/2, g->g:1/2, g->a:1/2, g->u:1/2,
       g->b:1/2, g->k:1/2}
  is = {a:1/2, u:1/2, b:1/2, k:1/2, g:1/2}
  r[x] = {a, u, b, k}
  r[y] = {b, k}
  c = {b, k, g:1/2}
}
"""


def program(declaration: str = "") -> Program:
    return parse_program(TEXT.replace("DECLARATION", declaration))


def is_left_out(given: Program, *calls: str, text: str = ANYWHERE) -> bool:
    theory = Theory(given.vocabulary, given.rules)
    start = structure(text, given)
    less = without_overwritten(start, outlines([action_of(given, c) for c in calls], given.vocabulary, "n"), theory)
    left = [name for name in ("y", "r[y]") if list(less.entries(name))]
    assert left in ([], ["y", "r[y]"])
    return not left


@pytest.mark.parametrize(
    ("declaration", "calls", "left_out"),
    [
        ("", ["Malloc(y)"], True),
        ("", ["Malloc(y)", "Set_Next(y, x)"], True),
        ("", ["Move(y, x)", "Test(y)"], True),
        ("", ["Set_Next(x, x)", "Malloc(y)"], True),
        ("", ["Malloc(x)"], False),
        ("", ["Set_Next(x, y)", "Malloc(y)"], False),
        ("", ["Move(x, y)", "Malloc(y)"], False),
        ("", ["Test(y)", "Malloc(y)"], False),
        ("%i nowhere() = A(v) !y(v)", ["Malloc(y)"], False),
        ("%i alone(v) = E(w) (r[y](w) & n(w, v)) & c(v)", ["Malloc(y)"], True),
        ("%r r[y](v) ==> !is(v)", ["Malloc(y)"], True),
        ("%r c(v) ==> r[y](v)", ["Malloc(y)"], False),
    ],
)
def test_what_nothing_depends_on(declaration: str, calls: list[str], left_out: bool) -> None:
    assert is_left_out(program(declaration), *calls) is left_out


def test_what_must_be_somewhere() -> None:
    """Without y these would be no stores of the structure."""
    reached = ANYWHERE.replace("r[y] = {a:1/2,", "r[y] = {a:1,")
    assert not is_left_out(program(), "Malloc(y)", text=reached)


def test_an_old_pointer_anywhere() -> None:
    """``y = malloc(); y->n = x`` was undecided after two minutes: the results are the same wherever y was."""
    given = program()
    theory = Theory(given.vocabulary, given.rules)
    actions = [action_of(given, call) for call in ("Malloc(y)", "Set_Next(y, x)")]
    answers = []
    for text in (ANYWHERE, LASSO.replace("OLD:1/2", ""), LASSO.replace("OLD:1/2", "k:1/2")):
        found = decide_actions(actions, structure(text, given), theory, partial(float, 60), minimal=True)
        assert found is not None
        answers.append(set(found.structures))
    assert answers[0] == answers[1] == answers[2]
    assert len(answers[0]) > 1


def test_stores_are_small() -> None:
    """Trees that brought one bit each were kept in the example: a store had 515 nodes, more than can be represented."""
    given = program()
    theory = Theory(given.vocabulary, given.rules)
    asked = formula("E(v, w) y(v) & n(v, w) & is(w)", given)
    found = decide(asked, structure(FIVE_NODES, given), theory, partial(float, 60), minimal=True)
    assert found is not None
    assert found.structures
    stores = [example() for example in found.structures.values()]
    assert max(store.size if store is not None else 1_000 for store in stores) < 400
