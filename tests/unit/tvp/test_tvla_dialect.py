"""TVLA 3's own dialect: what its loader accepts and Kleene reads with a warning (docs/tvla-differences.md)."""

from __future__ import annotations

import pytest

from kleene.diagnostics import InputError
from kleene.tvp import parse_program
from kleene.tvp.program import Program

DECLARATIONS = """%s Colors {red, green, c2}
foreach (z in Colors) { %p z(v) }
%p n(v, w)
"""


def loaded(actions: str, edges: str, *, tvla: bool = False) -> Program:
    return parse_program(f"{DECLARATIONS}%%\n{actions}\n%%\n{edges}", arguments_one_by_one=tvla)


def updates(program: Program, edge: int = 0) -> dict[str, str]:
    return {u.predicate: str(u.formula) for u in program.cfa.edges[edge].label.updates}


def warnings(program: Program) -> list[str]:
    return [f"{w.position.line}:{w.position.column} {w.message}" for w in program.warnings if w.position]


def test_an_update_listed_twice() -> None:
    """It was refused; the last one counts."""
    program = loaded("%action a() { { red(v) = 0 green(v) = 1 red(v) = c2(v) } }", "L a() M")
    assert updates(program) == {"red": "c2(v)", "green": "1"}
    assert warnings(program) == [
        "5:41 predicate 'red' is already updated in line 5: the last update counts (in a(), used at <program>:7:1)"
    ]


def test_an_update_by_foreach_and_by_name() -> None:
    """The common form: all predicates keep their values, then one of them gets another."""
    text = "%action a(p) { { foreach (z in Colors) { z(v) = z(v) } p(v) = 0 } }"
    program = loaded(text, "L a(red) M M a(green) N")
    assert updates(program, 0) == {"red": "0", "green": "green(v)", "c2": "c2(v)"}
    assert updates(program, 1) == {"red": "red(v)", "green": "0", "c2": "c2(v)"}
    assert len(warnings(program)) == 1  # one for the place, not one for each call


def test_one_update_with_equal_arguments() -> None:
    program = loaded("%action a(p, q) { { p(v) = 0 q(v) = 1 } }", "L a(red, red) M")
    assert updates(program) == {"red": "1"}


def test_an_action_declared_twice() -> None:
    """It was refused; the last declaration counts, also with another number of arguments."""
    program = loaded("%action a() { { red(v) = 0 } }\n%action a(p) { { p(v) = 1 } }", "L a(green) M")
    assert updates(program) == {"green": "1"}
    assert warnings(program) == [
        "6:9 action 'a' is already declared in line 5: the last declaration counts, also for uses before it"
    ]


def test_an_argument_with_the_name_of_an_iterator() -> None:
    """It was refused; the set is that of the argument, so nothing is captured here."""
    text = "%action paint(c) { { c(v) = 1 foreach (c2 in Colors - {c}) { c2(v) = 0 } } }"
    program = loaded(text, "L paint(c2) M M paint(red) N")
    assert updates(program, 0) == {"c2": "1", "red": "0", "green": "0"}
    assert updates(program, 1) == {"red": "1", "green": "0", "c2": "0"}
    assert warnings(program) == []


def test_an_iterator_captures_an_argument() -> None:
    """An occurrence of the argument inside the iterator's body means the member, as in TVLA, with a warning."""
    text = "%action a(c) { { foreach (c2 in {red, green}) { c2(v) = c(v) } } }"
    program = loaded(text, "L a(c2) M")
    assert updates(program) == {"red": "red(v)", "green": "green(v)"}
    assert warnings(program) == [
        "5:57 'c' stands for 'c2', which has the name of an iterator or a later argument: "
        "as in TVLA it becomes 'red' here (in a(c2), used at <program>:7:1)"
    ]
    composite = loaded("%action a(c) { %p E(v) |/{ c2(v) & c(v) : c2 in {red, green} } }", "L a(c2) M")
    assert str(composite.cfa.edges[0].label.precondition) == "E(v) red(v) & red(v) | green(v) & green(v)"
    assert len(warnings(composite)) == 1


def test_a_member_with_the_name_of_an_inner_iterator() -> None:
    text = "%action a() { { foreach (z in {c2}) { foreach (c2 in {red}) { c2(v) = z(v) } } } }"
    program = loaded(text, "L a() M")
    assert updates(program) == {"red": "red(v)"}
    assert len(warnings(program)) == 1


def test_arguments_one_after_another() -> None:
    """Only in TVLA's mode: the second argument replaces the first one where it has the name of the second formal."""
    text = "%action copy(red, green) { { red(v) = green(v) } }"
    assert updates(loaded(text, "L copy(green, red) M")) == {"green": "red(v)"}
    program = loaded(text, "L copy(green, red) M", tvla=True)
    assert updates(program) == {"red": "red(v)"}
    assert len(warnings(program)) == 1


def test_an_undeclared_predicate_in_an_action_that_is_never_used() -> None:
    """It was refused; TVLA expands only what is used."""
    program = loaded("%action a() { { blue(v) = 0 } }\n%action b() { }", "L b() M")
    assert warnings(program) == ["5:17 undeclared predicate 'blue' (no edge uses action 'a')"]
    with pytest.raises(InputError, match="undeclared predicate 'blue'"):
        loaded("%action a() { { blue(v) = 0 } }\n%action b() { }", "L a() M")


def test_composites_over_an_empty_set() -> None:
    """Appendix C.5.5: 0 or 1. Definitions and parts that need a free variable were refused."""
    text = """%s None {}
%p x(v)
%i some(v) = |/{ z(v) : z in None }
%i path(a, b) = TC(a, b)(c, d) |/{ z(c, d) : z in None }
%%
%action a() { %new |/{ z(v) : z in None } %retain &/{ z(v) : z in None } }
%%
L a() M"""
    program = parse_program(text)
    assert str(program.vocabulary["some"].definition) == "0 & v == v"
    action = program.cfa.edges[0].label
    assert (str(action.new_formula), str(action.retain)) == ("0 & v == v", "1 & v == v")
    for wrong in ("%i p(v) = 0", "%i p(v) = |/{ x(w) : z in None }"):
        with pytest.raises(InputError, match="does not mention its arguments: v"):
            parse_program(f"%s None {{}} %p x(v) {wrong} %% %action a() {{ }} %% L a() M")


def test_focus_on_the_constant_one_half() -> None:
    """It was an internal error at the first structure."""
    for formula in ("1/2", "E(v) x(v) & 1/2", "(1/2 ? x(v) : 0)"):
        with pytest.raises(InputError) as caught:
            parse_program(f"%p x(v) %%\n%action a() {{ %f {{ {formula} }} }} %% L a() M")
        (diagnostic,) = caught.value.diagnostics
        assert "cannot be brought into focus: it contains the constant 1/2" in diagnostic.message
        assert diagnostic.position is not None and diagnostic.position.line == 2


def test_a_name_in_a_text_that_means_nothing() -> None:
    """It was accepted without a word: a misspelt argument appeared in the message."""
    text = '%action a(z) { %t z + " is " + green %message (E(v) z(v)) -> "no " + zz + " but " + r[n,z] }'
    program = loaded(text, "L a(red) M")
    assert warnings(program) == ["5:70 'zz' in a text is neither an argument nor a predicate; its name is written"]
    assert program.cfa.edges[0].label.messages[0].text == "no zz but r[n,red]"
