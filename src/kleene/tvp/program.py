"""TVP programs: loading, checking, and formulas on their own (thesis Appendix C.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kleene.cfa.graph import Cfa
from kleene.diagnostics import Diagnostic, InputError
from kleene.logic.formula import Formula
from kleene.logic.vocabulary import Vocabulary
from kleene.source.cursor import SyntaxProblem
from kleene.source.preprocess import Preprocessed, preprocess, preprocess_text
from kleene.source.tokens import TVP
from kleene.transformers.action import Action, Rule
from kleene.tvp.expand import expand
from kleene.tvp.formula_parser import FormulaParser
from kleene.tvp.lower import Lowering
from kleene.tvp.parser import parse_formula_tokens, parse_tokens
from kleene.tvp.predicates import Predicates
from kleene.tvp.printer import print_program
from kleene.tvp.scope import EMPTY, Report, in_source_order
from kleene.tvp.sets import Sets
from kleene.tvp.syntax import Name, ProgramSyntax


@dataclass(frozen=True)
class Program:
    """A TVP program after expansion. Edges of `cfa` carry instantiated actions; equal calls share one.

    `print_locations` are the locations to print, none for all of them. `properties_files` are the files that
    comments of the form ``@properties "file"`` ask for. `together` are the formulas of ``%dname``: with
    ``--decompose``, the pointers of each stay together.
    """

    name: str
    vocabulary: Vocabulary
    sets: Mapping[str, tuple[str, ...]]
    rules: tuple[Rule, ...]
    cfa: Cfa[Action]
    print_locations: tuple[str, ...]
    warnings: tuple[Diagnostic, ...]
    properties_files: tuple[str, ...]
    syntax: ProgramSyntax
    together: tuple[Formula, ...] = ()


def load_program(
    path: str | Path,
    *,
    include: Sequence[str] = (),
    macros: Mapping[str, str] | None = None,
    arguments_one_by_one: bool = False,
    edges_optional: bool = False,
) -> Program:
    """Read a TVP file. Raises `InputError` with everything that is wrong with it.

    With `arguments_one_by_one`, the arguments of actions are substituted one after another, as TVLA does it. With
    `edges_optional`, a vocabulary alone is a program: operations on structures need no more.
    """
    source = preprocess(path, TVP, include=include, macros=macros)
    return _program(source, Path(path).stem, arguments_one_by_one=arguments_one_by_one, edges_optional=edges_optional)


def parse_program(
    text: str,
    *,
    file: str = "<program>",
    include: Sequence[str] = (),
    macros: Mapping[str, str] | None = None,
    arguments_one_by_one: bool = False,
) -> Program:
    """A program from a text in memory; otherwise as `load_program`."""
    name = Path(file).stem if file != "<program>" else "program"
    source = preprocess_text(text, file, TVP, include=include, macros=macros)
    return _program(source, name, arguments_one_by_one=arguments_one_by_one)


def _program(source: Preprocessed, name: str, *, arguments_one_by_one: bool, edges_optional: bool = False) -> Program:
    if source.fatal:
        raise InputError(in_source_order(source.errors))
    syntax, errors = parse_tokens(source.tokens, edges_optional=edges_optional)
    if source.errors or errors:
        raise InputError(in_source_order([*source.errors, *errors]))
    report = Report()
    expansion = expand(syntax, report, arguments_one_by_one=arguments_one_by_one)
    if report.errors:
        raise InputError(in_source_order(report.errors))
    return Program(
        name=name,
        vocabulary=expansion.vocabulary,
        sets=expansion.declarations.sets.texts(),
        rules=tuple(expansion.declarations.rules),
        cfa=expansion.cfa,
        print_locations=expansion.print_locations,
        warnings=tuple(in_source_order(report.warnings)),
        properties_files=tuple(p.name for p in source.properties),
        syntax=syntax,
        together=tuple(expansion.declarations.together),
    )


def parse_formula(
    text: str,
    vocabulary: Vocabulary,
    *,
    file: str = "<formula>",
    free: Sequence[str] | None = None,
    sets: Mapping[str, Sequence[str]] | None = None,
) -> Formula:
    """A formula in TVP syntax over a vocabulary; with `free`, no other variables may be free in it."""
    source = preprocess_text(text, file, TVP)
    if source.errors:
        raise InputError(source.errors)
    report = Report()
    try:
        syntax = parse_formula_tokens(source.tokens)
        table = Sets(report, {name: _members(names) for name, names in (sets or {}).items()})
    except SyntaxProblem as problem:
        raise InputError([problem.diagnostic]) from None
    predicates = Predicates(report, vocabulary)
    formula = Lowering(table, report).formula(syntax, EMPTY, predicates.use)
    wrong = [v for v in formula.free if free is not None and v not in free]
    if wrong:
        allowed = f"only {', '.join(free)}" if free else "none"
        report.error(f"unexpected free variables: {', '.join(wrong)} (allowed: {allowed})", syntax.position)
    if report.errors:
        raise InputError(in_source_order(report.errors))
    return formula


def _members(names: Sequence[str]) -> tuple[Name, ...]:
    members = []
    for text in names:
        parser = FormulaParser(preprocess_text(text, "<set>", TVP).tokens)
        members.append(parser.name())
    return tuple(members)


def program_text(program: Program) -> str:
    """The program as TVP text, as it was written but without macros, includes and comments."""
    return print_program(program.syntax)
