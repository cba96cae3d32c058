"""The parser of TVP: every construct of the grammar, and precedence."""

from __future__ import annotations

import pytest

from kleene.logic.kleene import Kleene
from kleene.source.preprocess import preprocess_text
from kleene.source.tokens import TVP
from kleene.tvp.parser import parse_formula_tokens, parse_tokens
from kleene.tvp.printer import print_formula
from kleene.tvp.syntax import (
    ActionSyntax,
    AtomSyntax,
    ChainSyntax,
    CloseCycle,
    ClosureSyntax,
    CompositeSyntax,
    ConditionalSyntax,
    ConstSyntax,
    DeclarationItem,
    DecompositionName,
    DependencySyntax,
    EdgeSyntax,
    EqualSyntax,
    Foreach,
    FormulaSyntax,
    GlobalFocus,
    LocationSyntax,
    MessageSyntax,
    Name,
    NotSyntax,
    ParameterSyntax,
    PartSyntax,
    PredicateDeclaration,
    ProgramSyntax,
    PropertySyntax,
    QuantifiedSyntax,
    RuleDeclaration,
    SetComprehension,
    SetDeclaration,
    SetLiteral,
    SetName,
    SetOperation,
    SetSyntax,
    StarSyntax,
    UpdateSyntax,
)


def program(text: str) -> ProgramSyntax:
    syntax, errors = parse_tokens(preprocess_text(text, "t", TVP).tokens)
    assert errors == []
    return syntax


def formula(text: str) -> FormulaSyntax:
    return parse_formula_tokens(preprocess_text(text, "t", TVP).tokens)


def declaration(text: str) -> DeclarationItem:
    (item,) = program(f"{text} %% %% L act() M").declarations
    return item


def action(parts: str) -> ActionSyntax:
    (item,) = program(f"%% %action act(a) {{ {parts} }} %% L act(x) M").actions
    return item


def atom(name: str, *args: str) -> AtomSyntax:
    return AtomSyntax(Name(name), args)


P, Q, R = atom("p"), atom("q"), atom("r")


@pytest.mark.parametrize(
    ("text", "grouped"),
    [
        ("E(v) p(v) & q() -> r()", "E(v) ((p(v) & q()) -> r())"),
        ("q() & E(v) p(v) | r()", "q() & (E(v) (p(v) | r()))"),
        ("!E(v) p(v) | r()", "!(E(v) (p(v) | r()))"),
        ("A(v) p(v) <-> q(v)", "A(v) (p(v) <-> q(v))"),
        ("p() -> q() -> r()", "(p() -> q()) -> r()"),
        ("p() <-> q() -> r()", "p() <-> (q() -> r())"),
        ("p() -> q() | r()", "p() -> (q() | r())"),
        ("p() | q() & r() | p()", "(p() | (q() & r())) | p()"),
        ("!p() & q()", "(!p()) & q()"),
        ("!!p()", "!(!p())"),
        ("TC(a,b)(c,d) n(c,d) & p()", "TC(a,b)(c,d) (n(c,d) & p())"),
        ("a == b & c != d", "(a == b) & (c != d)"),
        ("p() -> E(v) q(v) -> r()", "p() -> (E(v) (q(v) -> r()))"),
        ("n*(a,b) | n+(a,b)", "(n*(a,b)) | (n+(a,b))"),
    ],
)
def test_precedence(text: str, grouped: str) -> None:
    assert _fold(formula(text)) == _fold(formula(grouped))


def _fold(f: FormulaSyntax) -> object:
    """The tree with chains as nested pairs."""
    match f:
        case ChainSyntax(operator, operands):
            result = _fold(operands[0])
            for operand in operands[1:]:
                result = operator, result, _fold(operand)
            return result
        case NotSyntax(body):
            return "!", _fold(body)
        case QuantifiedSyntax(quantifier, variables, body):
            return quantifier, variables, _fold(body)
        case ClosureSyntax(left, right, sub_left, sub_right, body):
            return left, right, sub_left, sub_right, _fold(body)
    return f


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", ConstSyntax(Kleene.FALSE)),
        ("1 / 2", ConstSyntax(Kleene.UNKNOWN)),
        ("p()", P),
        ("r[n, t[x]](v)", AtomSyntax(Name("r", (Name("n"), Name("t", (Name("x"),)))), ("v",))),
        ("p[]()", P),
        ("k(a, b, c)", atom("k", "a", "b", "c")),
        ("in == foo", EqualSyntax("in", "foo")),
        ("a != b", EqualSyntax("a", "b", True)),
        ("p() & q() & r()", ChainSyntax("&", (P, Q, R))),
        ("(p() & q()) & r()", ChainSyntax("&", (ChainSyntax("&", (P, Q)), R))),
        ("E() p()", QuantifiedSyntax("E", (), P)),
        ("A(v, w) p()", QuantifiedSyntax("A", ("v", "w"), P)),
        ("TC (a, b) (c, d) p()", ClosureSyntax("a", "b", "c", "d", P)),
        ("(p() ? q() : r())", ConditionalSyntax(P, Q, R)),
        ("n*(a, b)", StarSyntax(Name("n"), "*", "a", "b")),
        ("n[x]+(a, b)", StarSyntax(Name("n", (Name("x"),)), "+", "a", "b")),
        ("|/{ z(v) : z in S }", CompositeSyntax("|", atom("z", "v"), "z", SetName("S"))),
        ("& /{p() : z in {x}}", CompositeSyntax("&", P, "z", SetLiteral((Name("x"),)))),
        ("p() | |/{q() : z in S}", ChainSyntax("|", (P, CompositeSyntax("|", Q, "z", SetName("S"))))),
    ],
)
def test_formulas(text: str, expected: FormulaSyntax) -> None:
    assert formula(text) == expected
    assert formula(print_formula(expected)) == expected


S, T, U = SetName("S"), SetName("T"), SetName("U")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", SetLiteral(())),
        ("{x, r[n,x]}", SetLiteral((Name("x"), Name("r", (Name("n"), Name("x")))))),
        ("S + T - U", SetOperation("-", SetOperation("+", S, T), U)),
        ("S - (T + U)", SetOperation("-", S, SetOperation("+", T, U))),
        ("S & T + U", SetOperation("&", S, SetOperation("+", T, U))),
        ("S + T & U & S", SetOperation("&", SetOperation("&", SetOperation("+", S, T), U), S)),
        ("{p[z], z : z in S}", SetComprehension((Name("p", (Name("z"),)), Name("z")), "z", S)),
    ],
)
def test_sets(text: str, expected: SetSyntax) -> None:
    assert declaration(f"%s X {text}") == SetDeclaration("X", expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%pset X S", SetDeclaration("X", S, parametric=True)),
        ("%p x()", PredicateDeclaration(Name("x"), ())),
        ("%px(v)", PredicateDeclaration(Name("x"), ("v",))),
        (
            "%p x(v) unique box {1, 1/2, 0}",
            PredicateDeclaration(
                Name("x"),
                ("v",),
                None,
                (PropertySyntax("unique"), PropertySyntax("box")),
                (Kleene.TRUE, Kleene.UNKNOWN, Kleene.FALSE),
            ),
        ),
        (
            "%p x(v) uniquePerCC(n) {}",
            PredicateDeclaration(Name("x"), ("v",), None, (PropertySyntax("uniquePerCC", (Name("n"),)),), ()),
        ),
        (
            "%p n(a, b, c) [a, b] --> c function",
            PredicateDeclaration(
                Name("n"),
                ("a", "b", "c"),
                None,
                (DependencySyntax(("a", "b"), "c"), PropertySyntax("function")),
            ),
        ),
        (
            "%i q(v) = E(w) n(w, v) nonabs",
            PredicateDeclaration(
                Name("q"),
                ("v",),
                QuantifiedSyntax("E", ("w",), atom("n", "w", "v")),
                (PropertySyntax("nonabs"),),
            ),
        ),
        ("%r p() -> q() ==> !r()", RuleDeclaration(ChainSyntax("->", (P, Q)), NotSyntax(R))),
        ("%dname p()", DecompositionName(P)),
        ('%dname p() "x" + z', DecompositionName(P, ("x", Name("z")))),
        ("%closecycle n -> p()", CloseCycle(Name("n"), P)),
        ("%f { p(), foreach (z in S) { q(), r() }, }", GlobalFocus((P, Foreach("z", S, (Q, R))))),
        ('%message p() -> "m"', MessageSyntax(P, ("m",))),
        (
            "foreach (z in S) { %p z(v) foreach (y in T) { %r p() ==> 0 } }",
            Foreach(
                "z",
                S,
                (
                    PredicateDeclaration(Name("z"), ("v",)),
                    Foreach("y", T, (RuleDeclaration(P, ConstSyntax(Kleene.FALSE)),)),
                ),
            ),
        ),
    ],
)
def test_declarations(text: str, expected: DeclarationItem) -> None:
    assert declaration(text) == expected


@pytest.mark.parametrize(
    ("text", "condition", "parts"),
    [
        ('p() -> "a"', P, ("a",)),
        ('p() -> q() -> "a"', ChainSyntax("->", (P, Q)), ("a",)),
        ("p() -> x", P, (Name("x"),)),
        ('p() -> r[n,x] + "a" + x', P, (Name("r", (Name("n"), Name("x"))), "a", Name("x"))),
        ('p() -> n*(a,b) -> "a"', ChainSyntax("->", (P, StarSyntax(Name("n"), "*", "a", "b"))), ("a",)),
        ('p() -> n+(a,b) -> "a"', ChainSyntax("->", (P, StarSyntax(Name("n"), "+", "a", "b"))), ("a",)),
        ("p() -> x + y", P, (Name("x"), Name("y"))),
        ('p() -> v == w -> "a"', ChainSyntax("->", (P, EqualSyntax("v", "w"))), ("a",)),
        ('(p() -> q()) -> "a"', ChainSyntax("->", (P, Q)), ("a",)),
        ('E(v) p() -> "a"', QuantifiedSyntax("E", ("v",), P), ("a",)),
    ],
)
def test_where_the_text_of_a_message_begins(text: str, condition: FormulaSyntax, parts: tuple[str | Name, ...]) -> None:
    expected = MessageSyntax(condition, parts)
    assert action(f"%message {text}").messages == (expected,)
    assert action(f"%message {text} {{ }}").messages == (expected,)


def test_all_parts_of_an_action() -> None:
    found = action(
        '%param w in S %param y in T %t a + "!" %frame_pre p() %compose q() %frame r() '
        "%f { p(), q() } %p r() "
        '%message [q()] p() -> "m" %message q() -> "n" %new p() %clone q() '
        "{ a(v) = p() (n(v, w)) = q() auto foreach (z in S) { z(v) = 0 } } "
        '%retain p() %message r() -> "post" %decompose q()'
    )
    zero = ConstSyntax(Kleene.FALSE)
    assert found == ActionSyntax(
        "act",
        ("a",),
        (ParameterSyntax("w", S), ParameterSyntax("y", T)),
        (Name("a"), "!"),
        P,
        Q,
        R,
        (P, Q),
        R,
        (MessageSyntax(P, ("m",), Q), MessageSyntax(Q, ("n",))),
        PartSyntax(P),
        PartSyntax(Q),
        (
            UpdateSyntax(Name("a"), ("v",), P),
            UpdateSyntax(Name("n"), ("v", "w"), Q, True),
            Foreach("z", S, (UpdateSyntax(Name("z"), ("v",), zero),)),
        ),
        P,
        (MessageSyntax(R, ("post",)),),
        PartSyntax(Q),
    )


def test_parts_without_formulas() -> None:
    assert action("") == ActionSyntax("act", ("a",))
    assert action("%f {} %new %clone {} %decompose") == ActionSyntax(
        "act", ("a",), new=PartSyntax(), clone=PartSyntax(), updates=(), decompose=PartSyntax()
    )
    assert action("%new { p() = 1 }").new == PartSyntax()


def test_a_message_after_the_updates_is_a_post_message() -> None:
    for before in ("%new", "{}", "%retain p(v)", "%clone p(v)"):
        found = action(f'%message p() -> "a" {before} %message q() -> "b"')
        assert found.messages == (MessageSyntax(P, ("a",)),)
        assert found.post_messages == (MessageSyntax(Q, ("b",)),)


def test_edges_and_print_list() -> None:
    found = program('%% %% "start here" go(x, y) L1 L1 stop() end.1 % % "start here", L1')
    assert found.edges == (
        EdgeSyntax("start here", "go", ("x", "y"), "L1"),
        EdgeSyntax("L1", "stop", (), "end.1"),
    )
    assert found.printed == (LocationSyntax("start here"), LocationSyntax("L1"))


def test_positions_are_kept_but_do_not_count() -> None:
    one, two = program("%p x(v) %% %% L a() M"), program("\n  %p\n x(v) %% %% L a() M")
    assert one == two and hash(one) == hash(two)
    assert str(one.declarations[0].position) == "t:1:4"
    assert str(two.declarations[0].position) == "t:3:2"
