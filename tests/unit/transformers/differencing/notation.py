"""A reader for formulas in TVP notation and in that of TVLA's differencing log; for these tests only."""

from __future__ import annotations

import re

from kleene.logic.formula import (
    FALSE,
    TRUE,
    UNKNOWN,
    And,
    Atom,
    Closure,
    Equal,
    Exists,
    Forall,
    Formula,
    Iff,
    IfThenElse,
    Not,
    Or,
    reflexive_closure,
    transitive_closure,
)

_TOKEN = re.compile(r"\s*(1/2|[01](?![\w])|[A-Za-z_$][\w$.]*(?:\[[^\]]*\])?|<->|->|==|!=|[-()!&|?:=,.*+])")


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        position = 0
        text = text.strip()
        while position < len(text):
            match = _TOKEN.match(text, position)
            assert match, text[position:]
            self.tokens.append(match[1])
            position = match.end()
        self.at = 0

    def peek(self, offset: int = 0) -> str:
        return self.tokens[self.at + offset] if self.at + offset < len(self.tokens) else ""

    def take(self, expected: str | None = None) -> str:
        token = self.peek()
        assert expected is None or token == expected, (expected, self.tokens[self.at :])
        self.at += 1
        return token

    def names(self) -> list[str]:
        self.take("(")
        result = []
        while self.peek() != ")":
            result.append(self.take())
            if self.peek() == ",":
                self.take()
        self.take(")")
        return result

    def formula(self) -> Formula:
        f = self.implication()
        if self.peek() == "?":
            self.take()
            then = self.formula()
            self.take(":")
            return IfThenElse(f, then, self.formula())
        return f

    def implication(self) -> Formula:
        f = self.chain("|")
        while self.peek() in ("->", "<->"):
            if self.take() == "->":
                f = Or(self.chain("|"), Not(f))
            else:
                f = Iff(f, self.chain("|"))
        return f

    def chain(self, operator: str) -> Formula:
        below = (lambda: self.chain("&")) if operator == "|" else self.unary
        f = below()
        while self.peek() == operator:
            self.take()
            f = (Or if operator == "|" else And)(f, below())
        return f

    def unary(self) -> Formula:
        token = self.peek()
        if token == "!":
            self.take()
            return Not(self.unary())
        if token in ("E", "A"):
            self.take()
            logged = self.peek() != "("
            variables = [self.take()] if logged else self.names()
            if logged:
                self.take(")")
                self.take(".")
            body = self.unary() if logged else self.formula()
            for v in reversed(variables):
                body = (Exists if token == "E" else Forall)(v, body)
            return body
        if token == "TC":
            self.take()
            (left, right), (a, b) = self.names(), self.names()
            return Closure(left, right, a, b, self.unary())
        return self.primary()

    def primary(self) -> Formula:
        token = self.take()
        if token == "(":
            if self.peek() in ("E", "A") and self.peek(1) != "(":  # "(E w).(...)" opens one more parenthesis
                return self.unary()
            f = self.formula()
            self.take(")")
            return f
        if token in ("0", "1", "1/2"):
            return {"0": FALSE, "1": TRUE, "1/2": UNKNOWN}[token]
        if self.peek() in ("=", "=="):
            self.take()
            return Equal(token, self.take())
        if self.peek() == "!=":
            self.take()
            return Not(Equal(token, self.take()))
        if self.peek() in ("*", "+"):
            build = reflexive_closure if self.take() == "*" else transitive_closure
            return build(token, *self.names())
        return Atom(token, tuple(self.names()))


def formula(text: str) -> Formula:
    reader = _Reader(text)
    result = reader.formula()
    assert reader.at == len(reader.tokens), reader.tokens[reader.at :]
    return result
