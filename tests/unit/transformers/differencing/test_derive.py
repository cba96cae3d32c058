"""Which predicates get an update, by which rule, and what the user is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kleene.diagnostics import InputError
from kleene.logic.formula import Atom, Formula
from kleene.logic.vocabulary import Vocabulary
from kleene.transformers.action import Action, Message, Update
from kleene.transformers.differencing import (
    Derivation,
    DerivedUpdate,
    DifferencingOptions,
    definition_order,
    derive,
    explain_updates,
)

from .actions import FIELD, NEW
from .model import apply, define, tuples
from .notation import formula
from .vocabularies import CYCLIC, LIST, REVERSE, TREE, action, core, defined, structures


def update(derivation: Derivation, predicate: str) -> DerivedUpdate:
    return next(u for u in derivation.updates if u.predicate == predicate)


def test_dependency_order() -> None:
    vocabulary = Vocabulary((defined("a(v) = b(v)"), defined("b(v) = x(v)"), core("x(v)")))
    assert [p.name for p in definition_order(vocabulary)] == ["b", "a"]


def test_cyclic_definitions_are_an_input_error() -> None:
    vocabulary = Vocabulary((core("x(v)"), defined("a(v) = b(v)"), defined("b(v) = x(v) & a(v)")))
    with pytest.raises(InputError, match="a -> b -> a"):
        derive(Action("skip"), vocabulary)


def test_given_updates_are_kept_and_trusted() -> None:
    given = action("x = y", "x(v) = y(v)", "r[n,x](v) = r[n,y](v)")
    derivation = derive(given, REVERSE)
    assert derivation.action == given
    forced = derive(given, REVERSE, DifferencingOptions(difference_given=True))
    assert forced.action.update_of("r[n,x]") != given.update_of("r[n,x]")


def test_auto_updates_are_replaced() -> None:
    given = action("x = y", "x(v) = y(v)", "r[n,x](v) = 0", "r[n,y](v) = 0")
    auto = replace(given, updates=tuple(replace(u, auto=u.predicate != "x") for u in given.updates))
    plain = derive(action("x = y", "x(v) = y(v)"), REVERSE)
    assert derive(auto, REVERSE).action == plain.action
    assert plain.action.update_of("r[n,y]") is None


def test_differencing_can_be_switched_off() -> None:
    given = action("x = y", "x(v) = y(v)")
    assert derive(given, REVERSE, DifferencingOptions(difference=False)) == Derivation(given)


@pytest.mark.parametrize("text", ["x(v)", "x(v) & 1", "x(v) | 0", "0 | x(v)", "(y(v) & 0 ? 1 : x(v))"])
def test_updates_that_change_nothing_keep_the_value(text: str) -> None:
    derivation = derive(action("same", f"x(v) = {text}"), REVERSE)
    assert {u.method for u in derivation.updates} == {"identity"}


@pytest.mark.parametrize(
    ("number", "method", "warned"),
    [
        (0, "unit closure removal", False),
        (1, "unit closure addition", False),
        (2, "general closure", True),
        (3, "unit closure removal", False),
        (4, "general closure", True),
        (6, "general closure", True),
    ],
)
def test_closure_rules(number: int, method: str, warned: bool) -> None:
    """Entry 3 is a chain ``n & a & b``: TVLA stops there, we see that it is a unit change."""
    derivation = derive(FIELD[number], REVERSE)
    assert update(derivation, "t[n]").method == method
    assert any("'n' is not a unit change" in w and FIELD[number].name in w for w in derivation.warnings) is warned


def test_closures_of_cyclic_predicates_use_the_general_rule() -> None:
    link = FIELD[1]
    assert update(derive(link, CYCLIC), "t[n]").method == "general closure"
    assert not derive(link, CYCLIC).warnings
    exact = derive(link, CYCLIC, DifferencingOptions(unit_cyclic=True))
    assert update(exact, "t[n]").method == "unit closure addition"
    batch = structures(CYCLIC, 3)
    result = apply(batch, exact.action, CYCLIC)
    expected = result.copy()
    define(expected, CYCLIC)
    allowed = batch.evaluator()(link.precondition or Atom("never", ()))[0]
    for nodes in tuples(batch, 2):
        assert not (result.get("t[n]", nodes)[0] ^ expected.get("t[n]", nodes)[0]) & allowed


def test_fields_of_trees_are_unit_changes_of_their_union() -> None:
    cut = derive(action("x->left = NULL", "left(v_1, v_2) = left(v_1, v_2) & !x(v_1)"), TREE)
    assert update(cut, "t[down]").method == "unit closure removal"
    link = derive(action("x->left = y", "left(v_1, v_2) = left(v_1, v_2) | x(v_1) & y(v_2)"), TREE)
    assert update(link, "t[down]").method == "unit closure addition"
    assert [m.text for m in link.action.messages] == ["Closed cycle for acyclic predicate down"]


def test_substitute_deltas() -> None:
    vocabulary = Vocabulary((core("x(v)"), core("y(v)"), defined("fresh(u) = x(u) & !y(u)"), defined("p(v) = y(v)")))
    copy = action("y = x", "y(v) = x(v)")
    assert update(derive(copy, vocabulary), "p").plus is Atom("fresh", ("v",))
    plain = derive(copy, vocabulary, DifferencingOptions(substitute_deltas=False))
    assert update(plain, "p").plus is formula("x(v) & !y(v)")


def cycle_condition(given: Action, vocabulary: Vocabulary = REVERSE) -> Formula | None:
    found = [m for m in derive(given, vocabulary).action.messages if isinstance(m, Message)]
    return found[0].condition if found else None


@pytest.mark.parametrize("vocabulary", [REVERSE, Vocabulary(REVERSE.declared[:4])], ids=["closure", "no closure"])
@pytest.mark.parametrize("given", [FIELD[1], FIELD[2], FIELD[4]], ids=str)
def test_cycle_message_is_exact(given: Action, vocabulary: Vocabulary) -> None:
    condition = cycle_condition(given, vocabulary)
    assert condition is not None
    batch = structures(vocabulary, 3)
    result = apply(batch, derive(given, vocabulary).action, vocabulary)
    closed = result.evaluator()(formula("E(v) n+(v, v)"))
    assert batch.evaluator()(condition) == closed


def test_no_cycle_message_where_no_cycle_can_be_closed() -> None:
    assert cycle_condition(FIELD[0]) is None
    assert cycle_condition(NEW[2]) is None
    assert derive(FIELD[1], REVERSE, DifferencingOptions(cycle_message=False)).action.messages == ()
    loop = next(a for a in NEW if a.name == "new self loop")
    assert any("through a new node" in w for w in derive(loop, REVERSE).warnings)
    push = next(a for a in NEW if a.name == "push")
    assert not derive(push, REVERSE).warnings


def test_tvla_mode_ignores_new_nodes() -> None:
    options = DifferencingOptions(universe_changes=False)
    derivation = derive(NEW[0], REVERSE, options)
    assert {u.method for u in derivation.updates} == {"identity"}


def test_derived_updates_mention_only_their_arguments() -> None:
    for given in (*FIELD, *NEW):
        for u in derive(given, LIST).action.updates:
            assert set(u.formula.free) <= set(u.args)


def test_bound_names_of_the_user_do_no_harm() -> None:
    """Arguments and precondition variables called like our own bound variables."""
    odd = Action(
        "odd",
        precondition=formula("y(w0)"),
        updates=(Update("x", ("w1",), formula("w1 == w0 | E(w2, z0) n(w2, w1) & n(w0, z0)")),),
    )
    for u in derive(odd, REVERSE).action.updates:
        assert set(u.formula.free) <= {*u.args, "w0"}


def test_explain_updates() -> None:
    text = explain_updates(derive(replace(FIELD[1], precondition=None, title="link"), REVERSE))
    assert text.splitlines()[0] == 'action x->n = y "link"'
    assert "  t[n](v_1, v_2)  [unit closure addition]" in text
    assert "    delta-: 0" in text
    assert "message: E(w1) x(w1)" in text
    kept = explain_updates(derive(action("x = y", "x(v) = y(v)"), REVERSE))
    assert "  kept: is[n], t[n], r[n,y], r[n,t]" in kept


def test_wide_definitions() -> None:
    names = [f"p{i}" for i in range(150)]
    wide = " | ".join(f"{n}(v)" for n in names)
    vocabulary = Vocabulary((*(core(f"{n}(v)", "unique") for n in names), defined(f"some(v) = {wide}")))
    derivation = derive(action("p7 = NULL", "p7(v) = 0"), vocabulary)
    assert update(derivation, "some").method == "delta"
