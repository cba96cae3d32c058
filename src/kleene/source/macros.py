"""Macro definitions and their expansion, token by token (thesis Appendix C.5.2, the C standard's rules).

Expansion follows Prosser's algorithm: every token carries the set of macros that must not be expanded in it
again, so that recursive macros end. Unlike TVLA's preprocessor, parameters are replaced wherever they
stand, also in brackets such as ``[a|b]``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kleene.source.tokens import Dialect, Kind, Lump, Source, Token, pieces

LARGEST_EXPANSION = 200_000
DEEPEST_NESTING = 60
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Macro:
    """`parameters` is None for a macro without a parameter list."""

    name: str
    parameters: tuple[str, ...] | None
    body: tuple[Token, ...]


Report = Callable[[str, Token], None]


class ExpansionTooLarge(Exception):
    """Macros that multiply without end; `use` is where the expansion began."""

    def __init__(self, use: Token) -> None:
        super().__init__()
        self.use = use


class Expander:
    """Expands macros in lists of tokens; mistakes go to `report`."""

    def __init__(self, macros: dict[str, Macro], dialect: Dialect, report: Report) -> None:
        self.macros = macros
        self.dialect = dialect
        self.report = report
        self.budget = LARGEST_EXPANSION
        self.depth = 0

    def expand(self, tokens: list[Token]) -> list[Token]:
        """The tokens after full expansion."""
        macros = self.macros
        if not any(token.text in macros for token in tokens):
            return tokens
        result: list[Token] = []
        pending = tokens[::-1]  # a stack: the next token is last
        while pending:
            token = pending.pop()
            macro = macros.get(token.text)
            if macro is None or token.kind not in (Kind.NAME, Kind.WORD) or macro.name in token.hidden:
                result.append(token)
                continue
            replaced = self._replace(token, macro, pending)
            if replaced is None:
                result.append(token)
            else:
                self.budget -= len(replaced) + 1
                if self.budget < 0:
                    raise ExpansionTooLarge(token)
                pending.extend(reversed(replaced))
        return result

    def _replace(self, token: Token, macro: Macro, pending: list[Token]) -> list[Token] | None:
        """What a use of a macro stands for, or None if it is no use."""
        if macro.parameters is None:
            hidden = token.hidden | {macro.name}
            return self._substitute(macro, {}, token, hidden)
        if not pending or pending[-1].text != "(" or pending[-1].kind is Kind.STRING:
            return None
        closing: list[Token] = []
        arguments = self._arguments(token, pending, closing)
        if arguments is None:
            return None
        expected = len(macro.parameters)
        if expected == 0 and arguments == [[]]:
            arguments = []
        if len(arguments) != expected:
            self.report(f"macro '{macro.name}' needs {_count(expected)}, found {len(arguments)}", token)
            return []
        hidden = (token.hidden & closing[0].hidden) | {macro.name}
        return self._substitute(macro, dict(zip(macro.parameters, arguments, strict=True)), token, hidden)

    def _arguments(self, use: Token, pending: list[Token], closing: list[Token]) -> list[list[Token]] | None:
        """Take the argument list off the stack; the closing parenthesis is added to `closing`."""
        taken = [pending.pop()]
        arguments: list[list[Token]] = [[]]
        depth = 1
        while pending:
            token = pending.pop()
            taken.append(token)
            text = token.text if token.kind is Kind.OPERATOR else ""
            if text in ("(", "[", "{"):
                depth += 1
            elif text in (")", "]", "}"):
                depth -= 1
                if depth == 0 and text == ")":
                    closing.append(token)
                    return arguments
            if text == "," and depth == 1:
                arguments.append([])
            else:
                arguments[-1].append(token)
        self.report(f"the arguments of macro '{use.text}' are not closed with ')'", use)
        pending.extend(reversed(taken))
        return None

    def _substitute(
        self, macro: Macro, arguments: dict[str, list[Token]], use: Token, hidden: frozenset[str]
    ) -> list[Token]:
        result: list[Token] = []
        body = macro.body
        i = 0
        while i < len(body):
            token = body[i]
            following = body[i + 1] if i + 1 < len(body) else None
            if token.text == "##" and token.kind is Kind.OPERATOR and result and following is not None:
                right = list(arguments.get(following.text, [following]))
                self._paste(result, right, use)
                i += 2
                continue
            if token.text == "#" and following is not None and following.text in arguments:
                text = " ".join(_spelling(t) for t in arguments[following.text])
                result.append(Token(Kind.STRING, text, use.source, use.offset))
                i += 2
                continue
            argument = arguments.get(token.text) if token.kind in (Kind.NAME, Kind.WORD) else None
            if argument is None:
                result.append(token.move(use, _NONE))
            elif following is not None and following.text == "##":
                result.extend(argument if argument else [_placemarker(use)])
            else:
                result.extend(self._expand_argument(argument, use))
            i += 1
        return [
            Token(t.kind, t.text, t.source, t.offset, t.hidden | hidden)
            for t in result
            if t.text or t.kind is Kind.STRING
        ]

    def _expand_argument(self, argument: list[Token], use: Token) -> list[Token]:
        if self.depth == DEEPEST_NESTING:
            raise ExpansionTooLarge(use)
        self.depth += 1
        expanded = self.expand(list(argument))
        self.depth -= 1
        return expanded

    def _paste(self, result: list[Token], right: list[Token], use: Token) -> None:
        """Glue the last token of the result to the first of the right side."""
        left = result.pop()
        text = _spelling(left) + (_spelling(right[0]) if right else "")
        glued = Source(use.source.file, text)
        for piece in pieces(glued, self.dialect):
            if isinstance(piece, Lump):
                self.report(f"pasting gives '{text}', which is no token", use)
                break
            result.append(piece.move(use, left.hidden))
        if not text:
            result.append(_placemarker(use))
        result.extend(right[1:])


def _placemarker(use: Token) -> Token:
    return Token(Kind.OPERATOR, "", use.source, use.offset)


def _spelling(token: Token) -> str:
    return f'"{token.text}"' if token.kind is Kind.STRING else token.text


def _count(number: int) -> str:
    return "1 argument" if number == 1 else f"{number} arguments"
