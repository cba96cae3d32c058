"""Printing a syntax tree and parsing the text again gives an equal tree."""

from __future__ import annotations

from hypothesis import given
from tvp_trees import declarations, formulas, programs

from kleene.source.preprocess import preprocess_text
from kleene.source.tokens import TVP
from kleene.tvp.parser import parse_formula_tokens, parse_tokens
from kleene.tvp.printer import print_formula, print_program
from kleene.tvp.syntax import (
    DeclarationItem,
    EdgeSyntax,
    Foreach,
    FormulaSyntax,
    Name,
    PredicateDeclaration,
    ProgramSyntax,
    SetName,
)


def _round_trip(program: ProgramSyntax) -> None:
    text = print_program(program)
    source = preprocess_text(text, "t", TVP)
    assert source.errors == []
    syntax, errors = parse_tokens(source.tokens)
    assert errors == []
    assert syntax == program


@given(formulas)
def test_formulas(formula: FormulaSyntax) -> None:
    assert parse_formula_tokens(preprocess_text(print_formula(formula), "t", TVP).tokens) == formula


@given(declarations)
def test_declarations(item: DeclarationItem) -> None:
    _round_trip(ProgramSyntax((item,), (), (EdgeSyntax("L", "a", (), "M"),)))


@given(programs)
def test_programs(program: ProgramSyntax) -> None:
    _round_trip(program)


def test_the_text_is_readable() -> None:
    body = (PredicateDeclaration(Name("z"), ("v",)),)
    program = ProgramSyntax((Foreach("z", SetName("S"), body),), (), (EdgeSyntax("L 1", "a", ("x", "y"), "M"),))
    assert print_program(program) == ('foreach (z in S) {\n  %p z(v)\n}\n\n%%\n\n%%\n\n"L 1" a(x, y) M\n')
