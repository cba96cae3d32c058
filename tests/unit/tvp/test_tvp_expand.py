"""Expansion: sets, foreach, composites, instantiation of actions, and the shapes of formulas."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.diagnostics import InputError
from kleene.logic.formula import (
    FALSE,
    TRUE,
    And,
    Atom,
    Equal,
    Exists,
    Formula,
    Iff,
    Not,
    Or,
    reflexive_closure,
)
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.transformers.action import Action
from kleene.tvp import Program, load_program, parse_formula, parse_program, program_text

VOCABULARY = Vocabulary(
    (
        *(Predicate(name, 1, ("v",)) for name in ("x", "y")),
        Predicate("n", 2, ("v", "w")),
        Predicate("b", 0),
        Predicate("r[n,x]", 1, ("v",)),
    )
)


def declare(text: str) -> Program:
    return parse_program(f"{text}\n%% %action skip() {{ }} %% L skip() M")


def act(parts: str, formals: str = "", args: str = "", declarations: str = "") -> Action:
    text = f"%s S {{x, y}} foreach (z in S) {{ %p z(v) %p r[n,z](v) }} %p n(v, w) %p b() {declarations}"
    program = parse_program(f"{text} %% %action act({formals}) {{ {parts} }} %% L act({args}) M")
    return program.cfa.edges[0].label


def f(text: str) -> Formula:
    return parse_formula(text, VOCABULARY, sets={"S": ["x", "y"], "R": ["r[n,x]"], "None": []})


X, Y, B = Atom("x", ("v",)), Atom("y", ("v",)), Atom("b", ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("b() -> x(v)", Or(X, Not(B))),
        ("b() <-> x(v)", Iff(B, X)),
        ("v != w", Not(Equal("v", "w"))),
        ("n*(v, w)", reflexive_closure("n", "v", "w")),
        ("x(v) & y(v) & b()", And(And(X, Y), B)),
        ("E(v, w) n(v, w)", Exists("v", Exists("w", Atom("n", ("v", "w"))))),
        ("E() b()", B),
        ("E(v) 1", Exists("v", TRUE)),
        ("|/{ z(v) : z in S }", Or(X, Y)),
        ("&/{ z(v) : z in S - {y} }", X),
        ("|/{ b() : z in None }", FALSE),
        ("&/{ b() : z in None }", TRUE),
        ("|/{ z(v) : z in R }", Atom("r[n,x]", ("v",))),
        ("&/{ |/{ z(v) & y(v) : z in S } : q in {x} }", Or(And(X, Y), And(Y, Y))),
        ("|/{ r[n, z](v) : z in S & {x} }", Atom("r[n,x]", ("v",))),
    ],
)
def test_formulas(text: str, expected: Formula) -> None:
    assert f(text) is expected


@pytest.mark.parametrize(
    "text",
    [
        "x(v) & (y(v) | b()) & !(E(w) n(v, w) -> b())",
        "TC(v, w)(p, q) n(p, q) & !x(p)",
        "(x(v) ? n*(v, w) : n+(v, w)) <-> 1/2",
        "A(u, w) n(u, w) <-> (E(v) x(v)) | u != w",
    ],
)
def test_formula_text_reads_back(text: str) -> None:
    assert f(str(f(text))) is f(text)


def test_parse_formula_checks() -> None:
    with pytest.raises(InputError, match=r"<formula>:1:1: unexpected free variables: w \(allowed: only v\)"):
        parse_formula("n(v, w)", VOCABULARY, free=["v"])
    with pytest.raises(InputError, match="allowed: none"):
        parse_formula("x(v)", VOCABULARY, free=[])
    with pytest.raises(InputError, match=r"1:6: expected the end of the formula, found .y."):
        parse_formula("x(v) y(v)", VOCABULARY)
    with pytest.raises(InputError, match=r"q.txt:1:1: undeclared predicate 'z'"):
        parse_formula("z(v)", VOCABULARY, file="q.txt")
    with pytest.raises(InputError, match="unknown character"):
        parse_formula("x(v) ;", VOCABULARY)
    assert parse_formula("x(v)", VOCABULARY, free=["v", "w"]) is X


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("{x, y, x}", ("x", "y")),
        ("{x} + {y} + {x}", ("x", "y")),
        ("{x, y, z} - {y}", ("x", "z")),
        ("{x, y} & {y, z}", ("y",)),
        ("{a} & {a} + {b}", ("a",)),
        ("{a, b} - {a} + {c}", ("b", "c")),
        ("{a, b} - ({a} + {c})", ("b",)),
        ("{r[n, z], z : z in {x, y}}", ("r[n,x]", "x", "r[n,y]", "y")),
        ("{p[z] : z in {q[w] : w in {x}}}", ("p[q[x]]",)),
    ],
)
def test_sets(text: str, members: tuple[str, ...]) -> None:
    assert declare(f"%s S {text}").sets["S"] == members


def test_a_second_set_declaration_adds() -> None:
    assert declare("%s S {x} %s T S %s S {y, x}").sets == {"S": ("x", "y"), "T": ("x",)}


def test_foreach_over_declarations() -> None:
    program = declare(
        "%s S {x, y} %p n(a, b) foreach (z in S) { %p z(v) foreach (w in S - {z}) { %p d[z, w]() }"
        " %i r[n, z](v) = E(u) z(u) & n*(u, v) %r z(v) ==> !n(v, v) }"
    )
    names = [p.name for p in program.vocabulary.declared]
    assert names == ["n", "x", "d[x,y]", "r[n,x]", "y", "d[y,x]", "r[n,y]"]
    assert [str(rule) for rule in program.rules] == ["x(v) ==> !n(v, v)", "y(v) ==> !n(v, v)"]


def test_substitution_leaves_variables_alone() -> None:
    program = declare("%s S {x} foreach (z in S) { %p z(v) %i q[z](z) = z(z) }")
    assert program.vocabulary["q[x]"].definition is Atom("x", ("z",))
    assert program.vocabulary["q[x]"].args == ("z",)


def test_the_head_of_a_bracketed_name_is_replaced_by_a_plain_name() -> None:
    program = declare("foreach (z in {x}) { %p z[n](v) }")
    assert "x[n]" in program.vocabulary


def test_predicates() -> None:
    v = declare(
        "%p n(a, b) function acyclic %p x(v) unique pointer %p y(v) nonabs box {1} %p b() %p c() nonabs "
        "%p q(v) uniquePerCC(n) {0, 1/2} %p t(a, b, c) %i r(w) = x(w) unique"
    ).vocabulary
    assert v["n"] == Predicate("n", 2, ("a", "b"), frozenset(("function", "acyclic")))
    assert v["x"] == Predicate("x", 1, ("v",), frozenset(("unique",)), abstraction=True, pointer=True)
    assert v["y"] == Predicate("y", 1, ("v",), pointer=True, shown=frozenset((Kleene.TRUE,)))
    assert (v["b"].abstraction, v["c"].abstraction, v["t"].abstraction, v["t"].arity) == (
        True,
        False,
        False,
        3,
    )
    assert v["q"].unique_per_component == ("n",)
    assert v["q"].shown == {Kleene.FALSE, Kleene.UNKNOWN}
    assert v["r"].definition is Atom("x", ("w",)) and v["r"].has("unique") and v["r"].instrumentation


def test_action_parts() -> None:
    found = act(
        '%t p + " = " + q + "[" + r[n,q] + "]" %f { q(v), foreach (z in S) { r[n,z](v), p(v) } } %p p(u) '
        '%message q(u) -> "1: leak of " + p %message b() -> "0:z" %message b() -> "plain" '
        "%new q(v) %clone p(v) { p(v) = q(v) & q(u) foreach (z in S - {p}) { r[n,z](v) = 0 auto } } "
        '%retain !q(v) %message b() -> "post"',
        "p, q",
        "y, x",
    )
    u = Atom("y", ("u",))
    assert found.name == "act(y, x)"
    assert found.title == "y = x[r[n,x]]"
    assert str(found) == "y = x[r[n,x]]"
    assert [str(g) for g in found.focus] == ["x(v)", "r[n,x](v)", "y(v)", "r[n,y](v)", "y(v)"]
    assert found.precondition is u
    assert [(str(m.condition), m.text, m.only_if) for m in found.messages] == [
        ("x(u)", "leak of y", "1"),
        ("b()", "z", "0"),
        ("b()", "plain", None),
    ]
    assert found.creates and found.new_formula is X and found.clone is Y
    assert [(p.predicate, p.args, str(p.formula), p.auto) for p in found.updates] == [
        ("y", ("v",), "x(v) & x(u)", False),
        ("r[n,x]", ("v",), "0", True),
    ]
    assert found.retain is Not(X)
    assert [m.text for m in found.post_messages] == ["post"]
    assert str(found.position).endswith(":1:85")


def test_arguments_are_substituted_at_once() -> None:
    found = act("{ p(v) = q(v) q(v) = p(v) }", "p, q", "y, x")
    assert [(u.predicate, str(u.formula)) for u in found.updates] == [("y", "x(v)"), ("x", "y(v)")]
    swapped = act("{ x(v) = y(v) y(v) = x(v) }", "y, x", "x, y")
    assert [(u.predicate, str(u.formula)) for u in swapped.updates] == [("y", "x(v)"), ("x", "y(v)")]


def test_an_argument_may_name_a_set() -> None:
    found = act("{ foreach (z in T) { z(v) = 0 } }", "T", "S")
    assert [u.predicate for u in found.updates] == ["x", "y"]


@pytest.mark.parametrize(
    ("part", "creates", "formula"),
    [("", False, None), ("%new", True, None), ("%new b()", True, None), ("%new x(v)", True, X)],
)
def test_new(part: str, creates: bool, formula: Formula | None) -> None:
    found = act(part)
    assert (found.creates, found.new_formula) == (creates, formula)


def test_new_with_a_variable_of_the_precondition_is_closed() -> None:
    assert act("%p x(v) %new y(v)").new_formula is None


def test_defaults() -> None:
    assert act("") == Action("act()")


def test_global_focus_and_messages() -> None:
    found = act(
        '%f { x(v) } %message b() -> "own"',
        declarations='%f { y(v), foreach (z in S) { r[n,z](v) } } %message E(v) x(v) -> "1:all"',
    )
    assert [str(g) for g in found.focus] == ["x(v)", "y(v)", "r[n,x](v)", "r[n,y](v)"]
    assert [(m.text, m.only_if) for m in found.messages] == [("own", None), ("all", "1")]


def test_equal_calls_share_one_action() -> None:
    program = parse_program("%p x(v) %p y(v) %% %action a(p) { %f { p(v) } } %% L a(x) M M a(y) N N a(x) L %% N, L")
    first, second, third = (edge.label for edge in program.cfa.edges)
    assert first is third and first is not second
    assert program.cfa.entry == "L" and program.cfa.locations == ("L", "M", "N")
    assert program.print_locations == ("N", "L")


def warnings(text: str) -> list[str]:
    found = parse_program(text).warnings
    assert all(w.severity == "warning" for w in found)
    return [f"{w.position.line}:{w.position.column} {w.message}" for w in found if w.position]


def test_warnings() -> None:
    assert warnings(
        "%p x(v)\n%p n(v, w) nonabs\n%r x(v) ==> 1\n%r x(v) ==> n(v, w)\n%r n(v, w) ==> x(v)\n"
        "%r n(v, w) ==> 0\n"
        "%% %action a() { } %%\nL a() M\nK a() M"
    ) == [
        "2:12 'nonabs' has no effect: 'n' has arity 2",
        "3:13 a rule with the head 1 has no effect",
        "4:1 free variables of the head that the body does not mention range over all nodes: w",
        "5:1 free variables of the body that the head does not mention are existential: w",
        "9:1 location 'K' cannot be reached from 'L'",
    ]


def test_decomposition_is_read_and_ignored() -> None:
    text = (
        '%pset S {x, y}\nforeach (z in S) { %p z(v) }\n%p n(a, b)\n%dname x(v) "x" %dname y(v)\n'
        "%closecycle n -> x(v)\n%%\n%action a() {\n%param w in S\n%frame_pre x(v)\n%compose x(v)\n"
        "%frame x(v)\n"
        "%message [x(v)] E(v) w(v) -> w\n{ }\n%decompose\n}\n%%\nL a() M"
    )
    tail = "belongs to TVLA's decomposition engine and is ignored"
    assert warnings(text) == [
        f"1:7 '%pset' {tail}",
        f"5:1 '%closecycle' {tail}",
        f"8:1 '%param' {tail}",
        f"9:12 '%frame_pre' {tail}",
        f"10:10 '%compose' {tail}",
        f"11:8 '%frame' {tail}",
        f"12:11 '%message [...]' {tail}",
        f"14:1 '%decompose' {tail}",
    ]
    program = parse_program(text)
    assert program.cfa.edges[0].label.messages[0].text == "x"
    assert [str(formula) for formula in program.together] == ["x(v)", "y(v)"]  # these have a meaning, see --decompose


def test_load_program(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "preds.h").write_text("%p x(v) unique KIND\n")
    path = tmp_path / "demo.tvp"
    path.write_text('// @properties "demo.properties"\n#include "preds.h"\n%% %action a() { } %% L a() M')
    program = load_program(path, include=[str(tmp_path / "lib")], macros={"KIND": "pointer"})
    assert program.name == "demo"
    assert program.properties_files == ("demo.properties",)
    assert program.vocabulary["x"].pointer
    assert parse_program(program_text(program)).syntax == program.syntax
