"""What the loader says about mistakes: the exact place and the exact words."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.diagnostics import InputError
from kleene.tvp import load_program, parse_program

DECLARATIONS = """%s PVar {x, y}
foreach (z in PVar) { %p z(v) unique }
%p n(v1, v2) function
%p b()
"""


def errors(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        parse_program(text)
    return [f"{d.position.line}:{d.position.column} {d.message}" for d in caught.value.diagnostics if d.position]


def with_declaration(line: str) -> list[str]:
    """Errors of a declaration in line 5."""
    return errors(f"{DECLARATIONS}{line}\n%% %action skip() {{ }} %% L skip() M")


def with_action(parts: str, formals: str = "a", call: str = "act(x)") -> list[str]:
    """Errors of an action in line 6, used in line 8."""
    return errors(f"{DECLARATIONS}%%\n%action act({formals}) {{ {parts} }}\n%%\nL {call} M")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%p x2(v", "6:1 expected ',' or ')', found '%'"),
        ("%p x2(v v)", "5:9 expected ',' or ')', found 'v'"),
        ("%p x2(,)", "5:7 expected a variable or ')', found ','"),
        ("%p E(v)", "5:4 expected a predicate name, found the reserved word 'E'"),
        ("%p p[a", "6:1 expected ',' or ']', found '%'"),
        ("%p p(v) = x(v)", "5:9 expected a property of the core predicate (a predicate with a definition is "
         "declared with %i), found '='"),
        ("%p p(v) {2}", "5:10 expected 0, 1, 1/2 or '}', found '2'"),
        ("%p p(v) {0 1}", "5:12 expected ',' or '}', found '1'"),
        ("%i p(v) x(v)", "5:9 expected '=', found 'x'"),
        ("%i p(v) = ", "6:1 expected a formula, found '%'"),
        ("%i p(v) = x", "6:1 expected '(' after 'x', found '%'"),
        ("%i p(v) = (x(v), y(v))", "5:16 expected ')', found ','"),
        ("%i p(v) = (x(v) ? y(v))", "5:23 expected ':', found ')'"),
        ("%i p(v) = x(v) &", "6:1 expected a formula, found '%'"),
        ("%i p(v) = x(v) | | y(v)", "5:20 expected a formula, found 'y'"),
        ("%i p(v) = TC(v)(a,b) x(v)", "5:15 expected ',', found ')'"),
        ("%i p(v) = n*(v)", "5:15 expected ',', found ')'"),
        ("%i p(v) = |/{x(v) : z of PVar}", "5:23 expected 'in', found 'of'"),
        ("%r x(v) => y(v)", "5:9 expected '==>', found '='"),
        ("%s S", "6:1 expected a set, found '%'"),
        ("%s S {x y}", "5:9 expected ',' or '}', found 'y'"),
        ("%s S (PVar", "6:1 expected ')', found '%'"),
        ("foreach z in PVar {}", "5:9 expected '(', found 'z'"),
        ("foreach (z in PVar) { x }", "5:23 expected a declaration or '}', found 'x'"),
        (")", "5:1 expected a declaration or '%%', found ')'"),
        ("%closecycle n x(v)", "5:15 expected '->', found 'x'"),
        ('%message x(v) "m"', "5:15 expected '->', found \"m\""),
        ("%f { x(v) y(v) }", "5:11 expected ',' or '}', found 'y'"),
    ],
)  # fmt: skip
def test_syntax_of_declarations(line: str, expected: str) -> None:
    assert with_declaration(line) == [expected]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ("x(v) = 1", "6:18 expected a part of the action or '}', found 'x'"),
        ("{ x(v) 1 }", "6:25 expected '=', found '1'"),
        ("{ x = 1 }", "6:22 expected '(', found '='"),
        ("{ 1 }", "6:20 expected an update or '}', found '1'"),
        ("{ (x(v) = 1 }", "6:26 expected ')', found '='"),
        ("%retain", "6:26 expected a formula, found '}'"),
        ('%t "a" +', "6:27 expected a string or a name, found '}'"),
        ("%param w PVar", "6:27 expected 'in', found 'PVar'"),
    ],
)
def test_syntax_of_actions(parts: str, expected: str) -> None:
    assert with_action(parts) == [expected]


ORDER = (
    "; the order of the parts of an action is: %param %t %frame_pre %compose %frame %f %p %message %new "
    "%clone {updates} %retain %message %decompose"
)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ("%p b() %f { x(v) }", "6:25 '%f' must come before '%p'"),
        ("{ b() = 1 } %new", "6:30 '%new' must come before '{'"),
        ("%retain x(v) { b() = 1 }", "6:31 updates must come before '%retain'"),
        ("%p b() %p b()", "6:25 '%p' given twice"),
        ('%message b() -> "m" %t "t"', "6:38 '%t' must come before '%message'"),
    ],
)
def test_order_of_the_parts(parts: str, expected: str) -> None:
    assert with_action(parts) == [expected + ORDER]


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ("", ["6:1 the program has no edges"]),
        ("L", ["6:1 expected the name of an action, found the end of the file"]),
        ("L skip M", ["5:8 expected '(', found 'M'"]),
        ("L skip( M", ["6:1 expected ',' or ')', found the end of the file"]),
        ("L skip()", ["6:1 expected the target of the edge, found the end of the file"]),
        ("L skip() M %% M N", ["5:17 expected ',', found 'N'"]),
        ("L skip(r[n]) M", ["5:9 expected ',' or ')', found '['"]),
        (
            "L skip M\nM skip() N\nN ( O\nO skip() P",
            ["5:8 expected '(', found 'M'", "7:3 expected the name of an action, found '('"],
        ),
    ],
)
def test_syntax_of_edges(edges: str, expected: list[str]) -> None:
    assert errors(f"%%\n%action skip() {{ }}\n%%\n\n{edges}\n") == expected


def test_missing_sections() -> None:
    assert errors("") == ["1:1 expected '%%' before the actions, found the end of the file"]
    assert errors("%p x(v) %%") == ["1:11 expected '%%' before the edges, found the end of the file"]
    found = errors("%p x(v)\n%action a() { }\n%%\nL a() M")
    assert found == ["2:1 expected '%%' before the actions, found '%action'"]
    assert errors("%%\nL a() M\n%%\nL a() M") == ["2:1 expected '%action' or '%%', found 'L'"]


def test_several_syntax_errors() -> None:
    found = errors(
        "%p x(\n%p y(v)\nforeach (z in {a}) {\n %p z(v) {7}\n %p w(v)\n}\n%r x ==> y(v)\n%%\n"
        "%action a() { %f }\n%action b() { }\n%action c( { }\n%%\nL a() M"
    )
    assert found == [
        "2:1 expected a variable or ')', found '%p'",
        "4:11 expected 0, 1, 1/2 or '}', found '7'",
        "7:6 expected '(' after 'x', found '==>'",
        "9:18 expected '{', found '}'",
        "11:12 expected an argument or ')', found '{'",
    ]


def test_unknown_characters_do_not_hide_other_errors() -> None:
    assert errors("%p x(v) ;\n%p y(\n%% %action a() { } %% L a() M") == [
        "1:9 unknown character ';'",
        "3:1 expected a variable or ')', found '%'",
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%p x(v)", "5:4 predicate 'x' is already declared in line 2"),
        ("%p sm(v)", "5:4 predicate 'sm' is predefined"),
        ("%p ready(v)", "5:4 predicate 'ready' is predefined"),
        ("%p q(v) uniqe", "5:9 unknown property 'uniqe'; did you mean 'unique'?"),
        ("%p q(v) function", "5:9 only binary predicates can be 'function', and 'q' has arity 1"),
        ("%p q(v, w) unique", "5:12 only unary predicates can be 'unique', and 'q' has arity 2"),
        ("%p q() box", "5:8 only unary predicates can be 'box', and 'q' has arity 0"),
        ("%p q(v, w) abs", "5:12 only nullary and unary predicates can be 'abs', and 'q' has arity 2"),
        ("%p q(v) abs nonabs", "5:4 predicate 'q' is both 'abs' and 'nonabs'"),
        ("%p q(v) unique(n)", "5:9 property 'unique' takes no arguments"),
        ("%p q(v) uniquePerCC", "5:9 'uniquePerCC' needs one predicate, as in uniquePerCC(n)"),
        ("%p q(v) uniquePerCC(foo)", "5:21 undeclared predicate 'foo'"),
        ("%p q(v) uniquePerCC(x)", "5:21 predicate 'x' has 1 argument, used with 2"),
        ("%p q(v, w) [v] --> w", "5:12 functional dependencies '[...] --> ...' are not supported"),
        ("%i q(v) = xx(v)", "5:11 undeclared predicate 'xx'; did you mean 'x'?"),
        ("%i q(v) = x(v) & b(v)", "5:18 predicate 'b' has no arguments, used with 1"),
        ("%i q(v) = n*(v, v) & x*(v, v)", "5:22 predicate 'x' has 1 argument, used with 2"),
        ("%i q(v) = w(v)\n%p w(v)", "5:11 predicate 'w' is used before its declaration in line 6"),
        ("%i q(v) = q(v)", "5:11 predicate 'q' is used before its declaration in line 5"),
        ("%i q(v) = n(v, w)", "5:4 the definition of 'q' has free variables that are not its arguments: w"),
        ("%i q(v, w) = x(v)", "5:4 the definition of 'q' does not mention its arguments: w"),
        ("%i q(v, v) = x(v)", "5:4 an argument of 'q' is listed twice"),
        ("%i q(v) = x(v) & E(v) y(v)", "5:11 the variable 'v' is both free and bound here"),
        ("%i q(v) = x(v) -> E(v) y(v)", "5:11 the variable 'v' is both free and bound here"),
        ("%i q(v) = (x(v) ? E(v) y(v) : 0)", "5:11 the variable 'v' is both free and bound here"),
        (
            "%i q(v, w) = TC(v, w)(a, b) n(a, a)",
            "5:14 the body of TC must have 'b' as a free variable",
        ),
        ("%s S Pvar", "5:6 undeclared set 'Pvar'; did you mean 'PVar'?"),
        ("foreach (z in Qux) { %p z(v) }", "5:15 undeclared set 'Qux'"),
        ("%i q(v) = |/{z(v) : z in Qux} | x(v)", "5:26 undeclared set 'Qux'"),
        (
            "foreach (z in PVar) { foreach (z in PVar) { %p q[z](v) } }",
            "5:23 the iterator 'z' has the name of an argument or outer iterator",
        ),
        (
            "foreach (z in {r[n,x]}) { %p z[y](v) }",
            "5:30 'r[n,x]' cannot replace 'z' in 'z[y]': only one of them may have brackets",
        ),
        (
            "%r x(v) ==> x(v) & y(v)",
            "5:13 the head of a rule must be 0, 1, p(...), !p(...), a == b or a != b",
        ),
        ("%r x(v) ==> 1/2", "5:13 the head of a rule must be 0, 1, p(...), !p(...), a == b or a != b"),
        ("%r foo(v) ==> x(v)", "5:4 undeclared predicate 'foo'"),
        ("%closecycle foo -> b()", "5:13 undeclared predicate 'foo'"),
        ("%dname foo(v)", "5:8 undeclared predicate 'foo'"),
        ("%f { foo(v) }", "5:6 undeclared predicate 'foo'"),
        ('%message x(v) -> "m"', "5:1 the condition of a message has free variables: v"),
    ],
)
def test_declarations(line: str, expected: str) -> None:
    assert with_declaration(line) == [expected]


CALL = " (in act(x), used at <program>:8:1)"


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ("%f { q[a](v) }", "6:23 undeclared predicate 'q[x]'"),
        ("%p a(v, w)", "6:21 predicate 'x' has 1 argument, used with 2"),
        ('%message x(v) -> "m"', "6:18 the condition of a message has free variables: v"),
        ('%p x(v) { } %message x(v) -> "m"', "6:30 the condition of a message has free variables: v"),
        ("%new n(v, w)", "6:18 the formula of '%new' may have one free variable, not 2: v, w"),
        ("%clone", "6:18 '%clone' needs a formula"),
        ("%clone b()", "6:18 the formula of '%clone' must have exactly one free variable, found none"),
        ("%clone n(v, w)", "6:18 the formula of '%clone' must have exactly one free variable, found 2: v, w"),
        ("%p x(v) %retain x(v)",
         "6:34 the formula of '%retain' must have exactly one free variable, found none"),
        ("{ x(v) = y(w) }", "6:20 the update of 'x' has free variables that are not its arguments: w"),
        ("%p y(v) { x(v) = y(v) }",
         "6:28 the argument 'v' of the update is also a free variable of the precondition"),
        ("{ n(v, v) = x(v) }", "6:20 an argument of the update of 'n' is listed twice"),
        ("{ q(v) = 0 }", "6:20 undeclared predicate 'q'"),
        ("{ x(v, w) = 0 }", "6:20 predicate 'x' has 1 argument, used with 2"),
        ("{ foreach (z in a) { z(v) = 0 } }", "6:34 undeclared set 'x'"),
        ("{ foreach (a in PVar) { a(v) = 0 } }",
         "6:20 the iterator 'a' has the name of an argument or outer iterator"),
        ("%param w in {}", "6:18 the set of parameter 'w' is empty"),
    ],
)  # fmt: skip
def test_actions(parts: str, expected: str) -> None:
    assert with_action(parts) == [expected + CALL]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ("%f { q(v) }", ["6:23 undeclared predicate 'q'"]),
        ("%f { q[a](v), a(v, w, u) }", []),
        ("{ foreach (z in PVar - {a}) { q[z](v) = 0 } }", []),
        ("{ foreach (z in PVar & {a}) { q[z](v) = 0 } }", []),
        ("{ foreach (z in a) { z(v) = 0 } }", []),
        ("{ foreach (z in Foo) { z(v) = 0 } }", ["6:34 undeclared set 'Foo'"]),
        ("{ a(v) = 0 a(v) = 1 }", []),
        ("{ x(v) = 0 x(v) = 1 }", ["6:29 predicate 'x' is already updated in line 6: the last update counts"]),
        ("%retain b()", ["6:26 the formula of '%retain' must have exactly one free variable, found none"]),
    ],
)
def test_unused_actions(parts: str, expected: list[str]) -> None:
    """TVLA expands only what is used, so what is wrong with other actions is a warning."""
    text = f"{DECLARATIONS}%%\n%action act(a) {{ {parts} }} %action skip() {{ }}\n%%\nL skip() M"
    warnings = [
        f"{w.position.line}:{w.position.column} {w.message}" for w in parse_program(text).warnings if w.position
    ]
    assert [w.removesuffix(" (no edge uses action 'act')") for w in warnings] == expected


@pytest.mark.parametrize(
    ("formals", "call", "expected"),
    [
        ("a, b", "act(x)", "8:1 action 'act' needs 2 arguments, found 1"),
        ("a", "act()", "8:1 action 'act' needs 1 argument, found 0"),
        ("a", "atc(x)", "8:1 undeclared action 'atc'; did you mean 'act'?"),
        ("a, a", "act(x, y)", "6:9 the argument 'a' of action 'act' is listed twice"),
    ],
)
def test_calls(formals: str, call: str, expected: str) -> None:
    assert with_action("", formals, call) == [expected]


def test_other_errors() -> None:
    text = "%% %action a() { } %% entry a() L %% L, enrty"
    assert errors(text) == ["1:41 unknown location 'enrty'; did you mean 'entry'?"]


def test_one_mistake_in_an_action_is_reported_once() -> None:
    text = "%p x(v) %p y(v) %%\n%action a(p) { %f { p(v), foo(v) } }\n%%\nL a(x) M M a(y) N"
    assert errors(text) == ["2:27 undeclared predicate 'foo' (in a(x), used at <program>:4:1)"]


def test_all_errors_come_in_one_run_in_source_order() -> None:
    text = "%p x(v) foo\n%i q(v) = y(v)\n%%\n%action a(p) { %f { p(v) } }\n%%\nL a(z) M\nL b() M"
    assert errors(text) == [
        "1:9 unknown property 'foo'",
        "2:11 undeclared predicate 'y'",
        "4:21 undeclared predicate 'z' (in a(z), used at <program>:6:1)",
        "7:1 undeclared action 'b'",
    ]


def test_errors_show_the_line(tmp_path: Path) -> None:
    (tmp_path / "inner.tvp").write_text("%p x(v)\n%p\ty(v) strange\n")
    path = tmp_path / "outer.tvp"
    path.write_text('#include "inner.tvp"\n%% %action a() { } %% L a() M')
    with pytest.raises(InputError) as caught:
        load_program(path)
    assert str(caught.value) == (
        f"{tmp_path}/inner.tvp:2:9: unknown property 'strange'\n"
        "    %p y(v) strange\n"
        "            ^\n"
        f"    included from {path}:1:1"
    )


def test_errors_in_macros_point_to_the_use() -> None:
    found = errors("#define P(z) %p z(v) strange\nP(x)\n  P(y)\n%% %action a() { } %% L a() M")
    assert found == ["2:1 unknown property 'strange'", "3:3 unknown property 'strange'"]


def test_too_deep() -> None:
    assert errors(f"%i q() = {'(' * 500}") == ["1:70 more than 60 levels of nesting"]
    operands = " & ".join(["b()"] * 400)
    text = f"%p b()\n%i q() = {operands}\n%% %action a() {{ }} %% L a() M"
    assert errors(text) == ["2:10 the formula is nested more than 300 levels deep"]
