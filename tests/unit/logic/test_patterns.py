"""Formulas up to the names of their predicates."""

from __future__ import annotations

from kleene.logic.formula import Atom, Closure, Equal, Exists, Not, conj, disj
from kleene.logic.patterns import PatternKey, pattern_of, with_predicates


def _at(name: str, *args: str) -> Atom:
    return Atom(name, args)


def test_formulas_with_other_predicates_have_one_pattern() -> None:
    f = Exists("v", conj(_at("x", "v"), Closure("v", "w", "a", "b", _at("n", "a", "b")), Not(_at("x", "w"))))
    g = with_predicates(f, {"x": "y", "n": "m"}, {})
    assert str(g) == str(f).replace("x(", "y(").replace("n(", "m(")
    assert pattern_of(f) == (pattern_of(g)[0], ("x", "n"))
    assert pattern_of(g)[1] == ("y", "m")


def test_predicates_that_differ_stay_different() -> None:
    """``x & x`` is no instance of ``x & y``, nor the other way round."""
    both, one = disj(conj(_at("x", "v"), _at("y", "v")), _at("x", "w")), disj(_at("x", "v"), _at("x", "w"))
    assert pattern_of(both)[0] != pattern_of(disj(conj(_at("x", "v"), _at("y", "v")), _at("y", "w")))[0]
    assert pattern_of(one)[0] != pattern_of(disj(_at("x", "v"), _at("y", "w")))[0]


def test_variables_belong_to_the_pattern() -> None:
    assert pattern_of(_at("n", "v", "w"))[0] != pattern_of(_at("n", "w", "v"))[0]
    assert pattern_of(conj(_at("x", "v"), Equal("v", "w")))[0] != pattern_of(conj(_at("x", "v"), Equal("w", "v")))[0]


def test_a_renaming_may_exchange_names() -> None:
    f = conj(_at("x", "v"), Not(_at("y", "v")))
    assert with_predicates(f, {"x": "y", "y": "x"}, {}) is conj(_at("y", "v"), Not(_at("x", "v")))


def test_keys_of_several_formulas_tell_their_common_predicates() -> None:
    def key(*names: str) -> tuple[object, ...]:
        made = PatternKey()
        for name in names:
            made.mention(_at(name, "v"))
        return made.parts

    assert key("x", "y") == key("a", "b")
    assert key("x", "x") == key("a", "a")
    assert key("x", "x") != key("x", "y")
