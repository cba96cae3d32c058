"""The integer expressions of `#if` and `#elif` (thesis Appendix C.5.2)."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

_TOKEN = re.compile(r"\s*(\d+|[A-Za-z_$][\w$.]*|&&|\|\||[=!<>]=|[-+!<>()])")
_LEVELS: tuple[dict[str, Callable[[int, int], int]], ...] = (
    {"||": lambda a, b: int(bool(a or b))},
    {"&&": lambda a, b: int(bool(a and b))},
    {"==": operator.eq, "!=": operator.ne},
    {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge},
    {"+": operator.add, "-": operator.sub},
)
_DEEPEST = 40


class ConditionError(ValueError):
    """A condition that is not an expression; the text says why."""


def evaluate(text: str) -> int:
    """The value of a condition; names that are left after macro expansion count as 0."""
    tokens: list[str] = []
    position = 0
    text = text.strip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ConditionError(f"unexpected '{text[position:].strip()[0]}' in a condition")
        tokens.append(match[1])
        position = match.end()
    if not tokens:
        raise ConditionError("the condition is empty")
    parser = _Parser(tokens)
    value = parser.binary(0)
    if parser.index < len(tokens):
        raise ConditionError(f"unexpected '{tokens[parser.index]}' in a condition")
    return value


class _Parser:
    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.index = 0
        self.depth = 0

    def next(self) -> str:
        if self.index == len(self.tokens):
            raise ConditionError("the condition is not complete")
        self.index += 1
        return self.tokens[self.index - 1]

    def binary(self, level: int) -> int:
        if level == len(_LEVELS):
            return self.unary()
        value = self.binary(level + 1)
        operators = _LEVELS[level]
        while self.index < len(self.tokens) and self.tokens[self.index] in operators:
            apply = operators[self.next()]
            value = int(apply(value, self.binary(level + 1)))
        return value

    def unary(self) -> int:
        token = self.next()
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ConditionError("the condition is nested too deeply")
        if token == "(":
            value = self.binary(0)
            if self.index == len(self.tokens) or self.next() != ")":
                raise ConditionError("expected ')' in a condition")
        elif token in "!-+":
            inner = self.unary()
            value = int(not inner) if token == "!" else -inner if token == "-" else inner
        elif token.isdigit():
            value = int(token[:4000])
        elif token[0].isalpha() or token[0] in "_$":
            value = 0
        else:
            raise ConditionError(f"unexpected '{token}' in a condition")
        self.depth -= 1
        return value
