"""The formula parser against an independent grammar, kept here as an executable specification.

A formula is *closed* if nothing in it can swallow what follows, *open* if it ends in a quantifier or TC, whose
scope reaches as far right as possible. Only the last operand of an operator can be open.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark, Token, Tree
from lark.exceptions import LarkError
from tvp_trees import formulas

from kleene.diagnostics import InputError
from kleene.source.cursor import SyntaxProblem
from kleene.source.preprocess import preprocess_text
from kleene.source.tokens import TVP
from kleene.tvp.parser import parse_formula_tokens
from kleene.tvp.printer import print_formula
from kleene.tvp.syntax import (
    AtomSyntax,
    ChainSyntax,
    ClosureSyntax,
    CompositeSyntax,
    ConditionalSyntax,
    ConstSyntax,
    EqualSyntax,
    FormulaSyntax,
    Name,
    NotSyntax,
    QuantifiedSyntax,
    SetComprehension,
    SetLiteral,
    SetName,
    SetSyntax,
    StarSyntax,
)

GRAMMAR = r"""
?start: formula
?formula: iff_closed | iff_open
?iff_closed: implies_closed | iff_closed "<->" implies_closed -> iff
?iff_open: implies_open | iff_closed "<->" implies_open -> iff
?implies_closed: or_closed | implies_closed "->" or_closed -> implies
?implies_open: or_open | implies_closed "->" or_open -> implies
?or_closed: and_closed | or_closed "|" and_closed -> or
?or_open: and_open | or_closed "|" and_open -> or
?and_closed: unary_closed | and_closed "&" unary_closed -> and
?and_open: unary_open | and_closed "&" unary_open -> and
?unary_closed: primary | "!" unary_closed -> not
?unary_open: quantified | "!" unary_open -> not
?quantified: "E" variables formula -> exists
    | "A" variables formula -> forall
    | "TC" pair pair formula -> closure
?primary: "(" formula ")"
    | "(" formula "?" formula ":" formula ")" -> conditional
    | ID "==" ID -> equal
    | ID "!=" ID -> different
    | pred variables -> atom
    | pred "*" pair -> star
    | pred "+" pair -> plus
    | "|" "/" "{" formula ":" ID _IN set "}" -> some
    | "&" "/" "{" formula ":" ID _IN set "}" -> all
    | VALUE -> value
variables: "(" [ID ("," ID)*] ")"
pair: "(" ID "," ID ")"
pred: ID ["[" [pred ("," pred)*] "]"]
?set: sum | set "&" sum -> meet
?sum: operand | sum "+" operand -> add | sum "-" operand -> minus
?operand: ID -> named | "(" set ")" | "{" [pred ("," pred)*] "}" -> members
    | "{" preds ":" ID _IN set "}" -> comprehension
preds: pred ("," pred)*
ID: /(?!(?:E|A|TC|foreach|auto)(?![A-Za-z0-9_$.]))[A-Za-z_$][A-Za-z0-9_$.]*/
VALUE: /1 ?\/ ?2|[01](?![0-9])/
_IN: /in(?![A-Za-z0-9_$.])/
%ignore /[ \t\n]+/
"""
SPECIFICATION = Lark(GRAMMAR, parser="earley", ambiguity="explicit")
_BINARY = {"<->": "iff", "->": "implies", "|": "or", "&": "and"}
_SET = {"&": "meet", "+": "add", "-": "minus"}


def specified(text: str) -> Any:
    """The tree of the specification as nested tuples, or None."""
    try:
        tree = SPECIFICATION.parse(text)
    except LarkError:
        return None
    return _plain(tree)


def _plain(tree: Any) -> Any:
    if isinstance(tree, Token):
        return tree.value.replace(" ", "")
    if tree is None:
        return None
    assert isinstance(tree, Tree)
    assert tree.data != "_ambig", "the specification is ambiguous"
    return (str(tree.data), *(_plain(c) for c in tree.children if c is not None))


def parsed(text: str) -> Any:
    """The tree of our parser in the same form, or None."""
    try:
        source = preprocess_text(text, "t", TVP)
        return None if source.errors else _tuples(parse_formula_tokens(source.tokens))
    except (SyntaxProblem, InputError):
        return None


def _tuples(f: FormulaSyntax) -> Any:
    match f:
        case ChainSyntax(operator, operands):
            result = _tuples(operands[0])
            for operand in operands[1:]:
                result = (_BINARY[operator], result, _tuples(operand))
            return result
        case NotSyntax(body):
            return "not", _tuples(body)
        case QuantifiedSyntax(quantifier, variables, body):
            return "exists" if quantifier == "E" else "forall", ("variables", *variables), _tuples(body)
        case ClosureSyntax(a, b, c, d, body):
            return "closure", ("pair", a, b), ("pair", c, d), _tuples(body)
        case ConditionalSyntax(condition, then, otherwise):
            return "conditional", _tuples(condition), _tuples(then), _tuples(otherwise)
        case EqualSyntax(left, right, negated):
            return "different" if negated else "equal", left, right
        case AtomSyntax(predicate, args):
            return "atom", _name(predicate), ("variables", *args)
        case StarSyntax(predicate, operator, left, right):
            return "star" if operator == "*" else "plus", _name(predicate), ("pair", left, right)
        case CompositeSyntax(operator, body, iterator, base):
            return "some" if operator == "|" else "all", _tuples(body), iterator, _set(base)
        case ConstSyntax(value):
            return "value", str(value)


def _name(name: Name) -> Any:
    return ("pred", name.id, *(map(_name, name.args)))


def _set(value: SetSyntax) -> Any:
    match value:
        case SetName(name):
            return "named", name
        case SetLiteral(members):
            return ("members", *map(_name, members))
        case SetComprehension(members, iterator, base):
            return "comprehension", ("preds", *map(_name, members)), iterator, _set(base)
    return _SET[value.operator], _set(value.left), _set(value.right)


PIECES = [
    *(
        "p()",
        "q(v)",
        "n(v,w)",
        "n*(a,b)",
        "r[n,x](v)",
        "a == b",
        "a != b",
        "1/2",
        "0",
        "&",
        "|",
        "->",
        "<->",
        "!",
    ),
    *("(", ")", "?", ":", "E(v)", "A(v,w)", "TC(a,b)(c,d)", "|/{", "z in S}", "}", "E", "p", ","),
]


@given(st.lists(st.sampled_from(PIECES), max_size=9).map(" ".join))
def test_random_texts(text: str) -> None:
    assert parsed(text) == specified(text)


@given(formulas, st.integers(0, 1000))
def test_printed_and_damaged_formulas(formula: FormulaSyntax, seed: int) -> None:
    text = print_formula(formula)
    assert parsed(text) == specified(text) is not None
    words = text.split()
    del words[random.Random(seed).randrange(len(words))]
    damaged = " ".join(words)
    assert parsed(damaged) == specified(damaged)


@pytest.mark.parametrize(
    "text",
    [
        "p() & E(v) q(v) | r()",
        "!E(v) p(v) -> q()",
        "p() -> q() -> r() <-> s()",
        "(p() ? A(v) q(v) : r()) & s()",
    ],
)
def test_examples(text: str) -> None:
    assert parsed(text) == specified(text) is not None
