"""A cursor over tokens, with the error messages that every hand-written parser needs."""

from __future__ import annotations

from typing import NoReturn

from kleene.diagnostics import Diagnostic, Position
from kleene.source.tokens import Kind, Token

DEEPEST_NESTING = 60


class SyntaxProblem(Exception):
    """A place where the text does not follow the grammar; the parser catches it and synchronises."""

    def __init__(self, message: str, position: Position) -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(message, position)


class Cursor:
    """The tokens of a file and the place reached in them. The last token is END and is never passed."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.index = 0
        self.depth = 0

    @property
    def current(self) -> Token:
        return self.tokens[self.index]

    @property
    def position(self) -> Position:
        return self.tokens[self.index].position

    def ahead(self, distance: int) -> Token:
        """A later token; END if there are too few."""
        return self.tokens[min(self.index + distance, len(self.tokens) - 1)]

    def advance(self) -> Token:
        token = self.tokens[self.index]
        if token.kind is not Kind.END:
            self.index += 1
        return token

    def at(self, *texts: str) -> bool:
        """True iff the current token is one of these operators, keywords, reserved words or names."""
        token = self.tokens[self.index]
        return token.text in texts and token.kind is not Kind.STRING

    def at_kind(self, *kinds: Kind) -> bool:
        return self.tokens[self.index].kind in kinds

    def accept(self, text: str) -> Token | None:
        return self.advance() if self.at(text) else None

    def expect(self, text: str) -> Token:
        if not self.at(text):
            self.fail(f"'{text}'")
        return self.advance()

    def expect_kind(self, kind: Kind, what: str) -> Token:
        if self.current.kind is not kind:
            self.fail(what)
        return self.advance()

    def fail(self, expected: str) -> NoReturn:
        """Stop here: something else was expected."""
        token = self.current
        word = "the reserved word " if token.kind is Kind.WORD else ""
        raise SyntaxProblem(f"expected {expected}, found {word}{token}", token.position)

    def enter(self) -> None:
        """Count one more level of nesting; `leave` must follow."""
        self.depth += 1
        if self.depth > DEEPEST_NESTING:
            raise SyntaxProblem(f"more than {DEEPEST_NESTING} levels of nesting", self.position)

    def leave(self) -> None:
        self.depth -= 1
