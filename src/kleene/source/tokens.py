"""Tokens of TVP and TVS text and where they come from (thesis Appendix C.5; TVLA 3 lexical rules).

One compiled regular expression for each dialect cuts a text into tokens, comments and preprocessor
directives. Positions are computed only when somebody asks for them. A token that a macro produced has the
place of the macro's use; a token of a macro argument keeps its own place.

Deviation from TVLA: an unknown character is an error there too, but TVLA skips it and continues.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from kleene.diagnostics import Position


class Kind(Enum):
    """What a token is. `WORD` is a reserved word, `CONST` one of 0, 1, 1/2, `NUMBER` another integer."""

    NAME = "identifier"
    WORD = "reserved word"
    KEYWORD = "%-keyword"
    CONST = "truth value"
    NUMBER = "number"
    STRING = "string"
    OPERATOR = "operator"
    END = "end of file"


@dataclass(frozen=True)
class Source:
    """A text with its file name and the `#include` directives that led to it, innermost first."""

    file: str
    text: str
    included_from: tuple[str, ...] = ()

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(m.end() for m in re.finditer("\n", self.text))]

    @cached_property
    def _shown(self) -> dict[int, str]:
        """The lines of positions so far: those of one line share its text, however long it is."""
        return {}

    def position(self, offset: int) -> Position:
        line = bisect_right(self._line_starts, offset)
        start = self._line_starts[line - 1]
        shown = self._shown.get(line)
        if shown is None:
            end = self.text.find("\n", start)
            shown = self._shown[line] = self.text[start : end if end >= 0 else len(self.text)].rstrip("\r")
        return Position(self.file, line, offset - start + 1, shown, self.included_from)


class Token:
    """One token. `hidden` are the macros that must not be expanded in it again."""

    __slots__ = ("hidden", "kind", "offset", "source", "text")

    def __init__(
        self, kind: Kind, text: str, source: Source, offset: int, hidden: frozenset[str] = frozenset()
    ) -> None:
        self.kind = kind
        self.text = text
        self.source = source
        self.offset = offset
        self.hidden = hidden

    @property
    def position(self) -> Position:
        return self.source.position(self.offset)

    def move(self, place: Token, hidden: frozenset[str]) -> Token:
        """The same token at another token's place."""
        return Token(self.kind, self.text, place.source, place.offset, hidden)

    def __str__(self) -> str:
        """The token as an error message shows it."""
        if self.kind is Kind.END:
            return "the end of the file"
        if self.kind is Kind.STRING:
            return f'"{self.text}"'
        return f"'{self.text}'"

    def __repr__(self) -> str:
        return f"Token({self.kind.name}, {self.text!r})"


@dataclass(frozen=True)
class Dialect:
    """The lexical rules of one language: its `%`-keywords and its reserved words."""

    name: str
    keywords: tuple[str, ...]
    words: frozenset[str]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Blanks, then one of the named groups; keywords are tried longest first."""
        keywords = "|".join(sorted(self.keywords, key=len, reverse=True))
        return re.compile(_PATTERN.replace("KEYWORDS", keywords))


_PATTERN = r"""(?x)
  (?m:^)[\ \t\ufeff]* (?:/\*(?:[^*\n]|\*(?!/))*\*/[\ \t]*)*
  (?P<directive> \#
    (?: \\\r?\n | /\*(?s:.*?)\*/ | //(?:\\\r?\n|[^\n])* | "[^"\n]*" | [^\n] )* )
| [\ \t\r\f\v\x1a]*
  (?: (?P<name> [A-Za-z_$][A-Za-z0-9_$.]* )
    | (?P<comment> //[^\n]* | /\*(?s:.*?)\*/ )
    | (?P<unclosed> /\* (?s:.*) )
    | (?P<operator> <[ ]?-[ ]?> | --> | -[ ]?> | ==> | == | != | \#\# | [-&|!=?:*+/,()\[\]{}<>\#] )
    | (?P<keyword> % (?:KEYWORDS)?+ )
    | (?P<const> 1[ ]?/[ ]?2(?![0-9]) | [01](?![0-9]) )
    | (?P<number> [0-9]+ )
    | (?P<dot> \.[01](?![0-9]) )
    | (?P<string> "[^"]*" )
    | (?P<line> \n | \Z )
    | (?P<unknown> . )
  )
"""

TVP = Dialect(
    "TVP",
    (
        *("s", "p", "i", "r", "f", "t", "message", "new", "retain", "action", "clone", "pset", "param"),
        *("dname", "compose", "decompose", "frame_pre", "frame", "closecycle"),
    ),
    frozenset(("E", "A", "TC", "foreach", "auto")),
)
TVS = Dialect("TVS", ("n", "p", "location", "message", "d", "t", "a"), frozenset())


@dataclass(frozen=True, slots=True)
class Lump:
    """A piece of text that is not a token: 'directive', 'comment', 'unclosed' or 'unknown'."""

    what: str
    text: str
    offset: int


_OPERATORS = {text: text.replace(" ", "") for text in ("- >", "< - >", "<- >", "< ->")}
_KINDS = {
    "name": Kind.NAME,
    "operator": Kind.OPERATOR,
    "dot": Kind.OPERATOR,
    "keyword": Kind.KEYWORD,
    "const": Kind.CONST,
    "number": Kind.NUMBER,
}


def pieces(source: Source, dialect: Dialect, start: int = 0, end: int | None = None) -> Iterator[Token | Lump]:
    """The tokens of a text in order, with the directives, comments and mistakes between them."""
    words = dialect.words
    stop = len(source.text) if end is None else end
    for match in dialect.pattern.finditer(source.text, start, stop):
        group = match.lastgroup
        if group == "line" or group is None:
            continue
        text = match[group]
        offset = match.start(group)
        kind = _KINDS.get(group)
        if group == "name":
            yield Token(Kind.WORD if text in words else Kind.NAME, text, source, offset)
        elif kind is Kind.OPERATOR:
            yield Token(kind, _OPERATORS.get(text, text), source, offset)
        elif kind is Kind.CONST:
            yield Token(kind, text.replace(" ", ""), source, offset)
        elif kind is not None:
            yield Token(kind, text, source, offset)
        elif group == "string":
            yield Token(Kind.STRING, text[1:-1], source, offset)
        else:
            yield Lump(group, text, offset)
