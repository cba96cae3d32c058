"""The parser of whole TVP files (thesis Figure 46, TVLA 3 grammar).

After a mistake it continues at the next declaration, action or edge, so that one run shows several mistakes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kleene.diagnostics import Diagnostic
from kleene.logic.kleene import Kleene
from kleene.source.cursor import SyntaxProblem
from kleene.source.tokens import Kind, Token
from kleene.tvp.action_parser import ActionParser
from kleene.tvp.syntax import (
    ActionSyntax,
    CloseCycle,
    Declaration,
    DeclarationItem,
    DecompositionName,
    DependencySyntax,
    EdgeSyntax,
    FormulaSyntax,
    GlobalFocus,
    LocationSyntax,
    PredicateDeclaration,
    ProgramSyntax,
    PropertySyntax,
    RuleDeclaration,
    SetDeclaration,
)

_DECLARATIONS = ("%s", "%pset", "%p", "%i", "%r", "%dname", "%closecycle", "foreach", "%f", "%message")


def parse_tokens(tokens: list[Token], *, edges_optional: bool = False) -> tuple[ProgramSyntax, list[Diagnostic]]:
    """The syntax tree of a TVP file and its errors; with `edges_optional`, the file may end before actions or edges."""
    parser = TvpParser(tokens)
    syntax = parser.program(edges_optional=edges_optional)
    return syntax, parser.errors


def parse_formula_tokens(tokens: list[Token]) -> FormulaSyntax:
    """One formula and nothing else. Raises `SyntaxProblem`."""
    parser = TvpParser(tokens)
    formula = parser.formula()
    if not parser.at_kind(Kind.END):
        parser.fail("the end of the formula")
    return formula


class TvpParser(ActionParser):
    """The whole grammar."""

    def program(self, *, edges_optional: bool) -> ProgramSyntax:
        position = self.position
        declarations = self._declaration_section()
        actions = () if edges_optional and self.at_kind(Kind.END) else self._action_section()
        edges = () if edges_optional and self.at_kind(Kind.END) else self._edge_section(optional=edges_optional)
        printed = self._print_section()
        return ProgramSyntax(declarations, actions, edges, printed, position=position)

    # Sections and recovery ------------------------------------------------------------------------------

    def _recover(self, problem: SyntaxProblem, stop: Callable[[], bool]) -> None:
        """Note a mistake and skip to the next place from which reading can go on."""
        self.errors.append(problem.diagnostic)
        self.depth = 0
        self.stop_at_text = False
        while not self.at_kind(Kind.END) and not stop():
            self.advance()

    def _at_section_end(self) -> bool:
        return self.at("%") and self.ahead(1).text == "%"

    def _section_mark(self, next_section: str) -> None:
        if self._at_section_end():
            self.advance()
            self.advance()
        elif not (self.errors and self.at_kind(Kind.END)):
            problem = f"expected '%%' before the {next_section}, found {self.current}"
            self.errors.append(Diagnostic(problem, self.position))

    def _declaration_section(self) -> tuple[DeclarationItem, ...]:
        items: list[DeclarationItem] = []
        while not self._at_section_end() and not self.at_kind(Kind.END) and not self.at("%action"):
            start = self.index
            try:
                if self.open_foreach and self.accept("}"):  # of a foreach that holds a mistake
                    self.open_foreach -= 1
                    continue
                if not self.at(*_DECLARATIONS):
                    self.fail("a declaration or '%%'")
                items.append(self._declaration_item())
            except SyntaxProblem as problem:
                if self.index == start:
                    self.advance()
                self._recover(problem, lambda: self.at(*_DECLARATIONS, "%action") or self._at_section_end())
        return tuple(items)

    def _action_section(self) -> tuple[ActionSyntax, ...]:
        self.open_foreach = 0
        self._section_mark("actions")
        actions: list[ActionSyntax] = []
        while not self._at_section_end() and not self.at_kind(Kind.END):
            start = self.index
            try:
                if not self.at("%action"):
                    self.fail("'%action' or '%%'")
                actions.append(self.action())
            except SyntaxProblem as problem:
                if self.index == start:
                    self.advance()
                self._recover(problem, lambda: self.at("%action") or self._at_section_end())
        return tuple(actions)

    def _edge_section(self, *, optional: bool) -> tuple[EdgeSyntax, ...]:
        self._section_mark("edges")
        edges: list[EdgeSyntax] = []
        failed = False
        while not self._at_section_end() and not self.at_kind(Kind.END):
            start = self.index
            try:
                edges.append(self._edge())
            except SyntaxProblem as problem:
                failed = True
                if self.index == start:
                    self.advance()
                line = problem.diagnostic.position.line if problem.diagnostic.position else 0
                self._recover(problem, partial(self._on_later_line, line))
        if not (edges or optional or failed or self.errors):
            self.errors.append(Diagnostic("the program has no edges", self.position))
        return tuple(edges)

    def _on_later_line(self, line: int) -> bool:
        return self._at_section_end() or self.position.line > line

    def _print_section(self) -> tuple[LocationSyntax, ...]:
        if self.at_kind(Kind.END):
            return ()
        self._section_mark("print list")
        locations: list[LocationSyntax] = []
        try:
            while not self.at_kind(Kind.END):
                position = self.position
                locations.append(LocationSyntax(self._location("a location"), position=position))
                if not self.at_kind(Kind.END):
                    self.expect(",")
        except SyntaxProblem as problem:
            self.errors.append(problem.diagnostic)
        return tuple(locations)

    def _location(self, what: str) -> str:
        if not self.at_kind(Kind.STRING, Kind.NAME):
            self.fail(what)
        return self.advance().text

    def _edge(self) -> EdgeSyntax:
        position = self.position
        source = self._location("an edge")
        action = self.identifier("the name of an action")
        args = self._formals()
        return EdgeSyntax(source, action, args, self._location("the target of the edge"), position=position)

    # Declarations ---------------------------------------------------------------------------------------

    def _declaration_item(self) -> DeclarationItem:
        if self.at("foreach"):
            return self.foreach(self._declarations)
        return self._declaration()

    def _declarations(self) -> tuple[DeclarationItem, ...]:
        items: list[DeclarationItem] = []
        while not self.at("}"):
            items.append(self._declaration_item())
        return tuple(items)

    def _declaration(self) -> Declaration:
        keyword = self.current.text
        position = self.position
        if keyword == "%message":
            return self.message()
        if keyword == "%f":
            return GlobalFocus(self.focus_list(), position=position)
        if not self.at("%s", "%pset", "%p", "%i", "%r", "%dname", "%closecycle"):
            self.fail("a declaration or '}'")
        self.advance()
        if keyword in ("%s", "%pset"):
            position = self.position
            name = self.identifier("the name of a set")
            return SetDeclaration(name, self.set_expression(), keyword == "%pset", position=position)
        if keyword in ("%p", "%i"):
            return self._predicate(keyword == "%i")
        if keyword == "%r":
            body = self.formula()
            self.expect("==>")
            return RuleDeclaration(body, self.formula(), position=position)
        if keyword == "%dname":
            formula = self.formula()
            text = self.text() if self.at_kind(Kind.STRING, Kind.NAME) else ()
            return DecompositionName(formula, text, position=position)
        predicate = self.name()
        self.expect("->")
        return CloseCycle(predicate, self.formula(), position=position)

    def _predicate(self, instrumentation: bool) -> PredicateDeclaration:
        position = self.position
        predicate = self.name()
        args = self.variables()
        definition = None
        if instrumentation:
            self.expect("=")
            definition = self.formula()
        elif self.at("="):
            self.fail("a property of the core predicate (a predicate with a definition is declared with %i)")
        properties: list[PropertySyntax | DependencySyntax] = []
        while self.at_kind(Kind.NAME) or self.at("["):
            properties.append(self._property())
        shown = self._display_list() if self.at("{") else None
        return PredicateDeclaration(predicate, args, definition, tuple(properties), shown, position=position)

    def _property(self) -> PropertySyntax | DependencySyntax:
        position = self.position
        if self.accept("["):
            sources = [self.identifier("a variable")]
            while self.accept(","):
                sources.append(self.identifier("a variable"))
            self.expect("]")
            self.expect("-->")
            return DependencySyntax(tuple(sources), self.identifier("a variable"), position=position)
        name = self.identifier("a property")
        if not self.accept("("):
            return PropertySyntax(name, position=position)
        args = [self.name()]
        while self.accept(","):
            args.append(self.name())
        self.expect(")")
        return PropertySyntax(name, tuple(args), position=position)

    def _display_list(self) -> tuple[Kleene, ...]:
        self.expect("{")
        values: list[Kleene] = []
        while not self.at("}"):
            values.append(Kleene.parse(self.expect_kind(Kind.CONST, "0, 1, 1/2 or '}'").text))
            if not self.accept(",") and not self.at("}"):
                self.fail("',' or '}'")
        self.advance()
        return tuple(values)
