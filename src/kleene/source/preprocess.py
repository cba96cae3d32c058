"""The preprocessor of TVP and TVS files (thesis Appendix C.5.2; TVLA 3 for TVS).

Directives: `#include "f"`, `#define`, `#undef`, `#if`, `#ifdef`, `#ifndef`, `#elif`, `#else`, `#endif`.
Files are looked up beside the including file, in the working directory, then in the given directories.
Deviations from TVLA (all of them are defects there): `#elif` and `#undef` work, includes are relative to
the including file, parameters are replaced inside brackets, mistakes are reported with their place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kleene.diagnostics import Diagnostic, InputError, Position
from kleene.source.conditions import ConditionError, evaluate
from kleene.source.macros import Expander, ExpansionTooLarge, Macro
from kleene.source.tokens import Dialect, Kind, Lump, Source, Token, pieces

_DIRECTIVE = re.compile(r"#[ \t]*([A-Za-z]*)")
_DEFINE = re.compile(r"\s*([A-Za-z_$][\w$.]*)(\([^()]*\))?")
_NAME = re.compile(r"\s*([A-Za-z_$][\w$.]*)\s*$")
_DEFINED = re.compile(r"\bdefined\s*(?:\(\s*([A-Za-z_$][\w$.]*)\s*\)|([A-Za-z_$][\w$.]*))")
_INCLUDE = re.compile(r'\s*(?:"([^"]*)"|<([^>]*)>)\s*$')
_PROPERTIES = re.compile(r'@properties\s+"([^"]*)"')
_JOINED = re.compile(r"\\\r?\n")
_COMMENT = re.compile(r'("[^"\n]*")|/\*.*?\*/|//[^\n]*', re.DOTALL)
_CONDITIONALS = frozenset(("if", "ifdef", "ifndef", "elif", "else", "endif"))


@dataclass(frozen=True)
class PropertiesFile:
    """The text ``@properties "file"`` in a comment (a hidden feature of TVLA 3)."""

    name: str
    position: Position


@dataclass
class Preprocessed:
    """The tokens of a file, an END token last; `fatal` if the errors make reading on pointless."""

    source: Source
    tokens: list[Token] = field(default_factory=list)
    errors: list[Diagnostic] = field(default_factory=list)
    properties: list[PropertiesFile] = field(default_factory=list)
    fatal: bool = False


@dataclass
class _Branch:
    """An open `#if`: whether this branch is read, whether one was read before, whether `#else` was seen."""

    directive: str
    position: Position
    active: bool
    taken: bool
    parent_active: bool
    otherwise: bool = False


def preprocess(
    path: str | Path,
    dialect: Dialect,
    *,
    include: Sequence[str] = (),
    macros: Mapping[str, str] | None = None,
) -> Preprocessed:
    """Read and preprocess a file. Raises `InputError` if it cannot be read at all."""
    return preprocess_text(read_source(path), str(path), dialect, include=include, macros=macros)


def preprocess_text(
    text: str,
    file: str,
    dialect: Dialect,
    *,
    include: Sequence[str] = (),
    macros: Mapping[str, str] | None = None,
) -> Preprocessed:
    """Preprocess a text in memory; `file` is its name in messages and for relative includes."""
    return _Preprocessor(dialect, include, macros or {}).run(Source(file, text))


def read_source(path: str | Path) -> str:
    """The text of a file, as UTF-8 or else Latin-1."""
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"cannot read {path}: {reason}") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


class _Preprocessor:
    def __init__(self, dialect: Dialect, include: Sequence[str], macros: Mapping[str, str]) -> None:
        self.dialect = dialect
        self.include = include
        self.macros: dict[str, Macro] = {}
        self.expander = Expander(self.macros, dialect, self.error_at)
        self.segment: list[Token] = []
        self.branches: list[_Branch] = []
        self.open_files: list[str] = []
        self.result: Preprocessed
        self.command_line = macros

    def run(self, source: Source) -> Preprocessed:
        self.result = Preprocessed(source)
        try:
            for name, value in self.command_line.items():
                self._define(Source("<command line>", f"{name} {value}"), f"{name} {value}", 0)
            self._file(source)
        except ExpansionTooLarge as error:
            self.error_at(f"the expansion of macro '{error.use.text}' is too large", error.use)
        self.result.tokens.append(Token(Kind.END, "", source, len(source.text)))
        return self.result

    # Reports --------------------------------------------------------------------------------------------

    def error_at(self, message: str, token: Token) -> None:
        self._error(message, token.position)

    def _error(self, message: str, position: Position, *, fatal: bool = True) -> None:
        self.result.errors.append(Diagnostic(message, position))
        self.result.fatal |= fatal

    # Files ----------------------------------------------------------------------------------------------

    def _file(self, source: Source) -> None:
        depth = len(self.branches)
        self.open_files.append(_key(source.file))
        active = True
        for piece in pieces(source, self.dialect):
            if isinstance(piece, Token):
                if active:
                    self.segment.append(piece)
            elif piece.what == "directive":
                self._flush()
                self._directive(source, piece, depth)
                active = all(branch.active for branch in self.branches)
            elif piece.what == "comment":
                if active and "@properties" in piece.text:
                    self._properties(source, piece)
            elif active or piece.what == "unclosed":
                self._mistake(source, piece)
        self._flush()
        for branch in self.branches[depth:]:
            self._error(f"'#{branch.directive}' has no '#endif'", branch.position)
        del self.branches[depth:]
        self.open_files.pop()

    def _flush(self) -> None:
        """Expand the tokens since the last directive."""
        if self.segment:
            tokens, self.segment = self.segment, []
            self.result.tokens += self.expander.expand(tokens)

    def _properties(self, source: Source, comment: Lump) -> None:
        for match in _PROPERTIES.finditer(comment.text):
            position = source.position(comment.offset + match.start())
            self.result.properties.append(PropertiesFile(match[1], position))

    def _mistake(self, source: Source, piece: Lump) -> None:
        position = source.position(piece.offset)
        if piece.what == "unclosed":
            self._error("this comment is not closed with '*/'", position)
        elif piece.text == '"':
            self._error("this string is not closed with '\"'", position)
        else:
            shown = piece.text if piece.text.isprintable() else ascii(piece.text)[1:-1]
            self._error(f"unknown character '{shown}'", position, fatal=False)

    # Directives -----------------------------------------------------------------------------------------

    def _directive(self, source: Source, piece: Lump, depth: int) -> None:
        match = _DIRECTIVE.match(piece.text)
        assert match is not None
        name = match[1]
        position = source.position(piece.offset)
        rest = piece.text[match.end() :]
        if name in _CONDITIONALS:
            self._conditional(name, _plain(rest), position, depth)
        elif all(branch.active for branch in self.branches):
            if name == "define":
                self._define(source, rest, piece.offset + match.end())
            elif name == "undef":
                self._undef(_plain(rest), position)
            elif name == "include":
                self._include(source, _plain(rest), position)
            elif name or _plain(rest).strip():
                self._error(f"unknown directive '#{name or _plain(rest).strip()[0]}'", position)

    def _undef(self, rest: str, position: Position) -> None:
        match = _NAME.match(rest)
        if match is None:
            self._error("'#undef' needs one name", position)
        else:
            self.macros.pop(match[1], None)

    def _define(self, source: Source, rest: str, offset: int) -> None:
        """`#define NAME body` or `#define NAME(parameters) body`; blanks keep the columns right."""
        position = source.position(offset)
        text = _JOINED.sub(lambda m: " " * len(m[0]), rest)
        text = _COMMENT.sub(lambda m: m[0] if m[1] else " " * len(m[0]), text)
        match = _DEFINE.match(text)
        if match is None:
            self._error("'#define' needs a name", position)
            return
        parameters = None
        if match[2] is not None:
            inside = match[2][1:-1].strip()
            parameters = tuple(part.strip() for part in inside.split(",")) if inside else ()
            if len(set(parameters)) < len(parameters) or not all(map(_NAME.match, parameters)):
                self._error(f"bad parameter list of macro '{match[1]}'", position)
                return
        body = []
        for piece in pieces(Source(source.file, text), self.dialect, match.end()):
            if isinstance(piece, Token):
                body.append(piece)
            else:
                what = "string is not closed" if piece.text == '"' else f"unknown character '{piece.text[:1]}'"
                self._error(f"{what} in macro '{match[1]}'", source.position(offset + piece.offset))
                return
        self.macros[match[1]] = Macro(match[1], parameters, tuple(body))

    def _include(self, source: Source, rest: str, position: Position) -> None:
        match = _INCLUDE.match(rest)
        if match is None:
            self._error("'#include' needs a file name in quotes", position)
            return
        name = match[1] or match[2]
        path = self._find(source, name)
        if path is None:
            self._error(f"cannot find the included file '{name}'", position)
        elif _key(str(path)) in self.open_files:
            self._error(f"'{name}' includes itself", position)
        else:
            try:
                text = read_source(path)
            except InputError as error:
                self._error(error.diagnostics[0].message, position)
                return
            self._file(Source(str(path), text, (str(position), *source.included_from)))

    def _find(self, source: Source, name: str) -> Path | None:
        if not name or "\0" in name:
            return None
        for folder in (Path(source.file).parent, Path(), *map(Path, self.include)):
            path = folder / name
            try:
                if path.is_file():
                    return path
            except OSError:
                continue
        return None

    # Conditions -----------------------------------------------------------------------------------------

    def _conditional(self, name: str, rest: str, position: Position, depth: int) -> None:
        if name in ("if", "ifdef", "ifndef"):
            parent = all(branch.active for branch in self.branches)
            value = parent and self._condition(name, rest, position)
            self.branches.append(_Branch(name, position, value, value, parent))
            return
        if len(self.branches) == depth:
            self._error(f"'#{name}' without '#if'", position)
            return
        branch = self.branches[-1]
        if name == "endif":
            self.branches.pop()
        elif branch.otherwise:
            self._error(f"'#{name}' after '#else'", position)
        else:
            branch.otherwise = name == "else"
            branch.active = False
            if branch.parent_active and not branch.taken:
                branch.active = name == "else" or self._condition("if", rest, position)
                branch.taken = branch.active

    def _condition(self, name: str, rest: str, position: Position) -> bool:
        if name != "if":
            match = _NAME.match(rest)
            if match is None:
                self._error(f"'#{name}' needs one name", position)
                return False
            return (match[1] in self.macros) == (name == "ifdef")
        text = _DEFINED.sub(lambda m: " 1 " if (m[1] or m[2]) in self.macros else " 0 ", rest)
        tokens = [p for p in pieces(Source(position.file, text), self.dialect) if isinstance(p, Token)]
        try:
            return evaluate(_spell(self.expander.expand(tokens))) != 0
        except ConditionError as error:
            self._error(str(error), position)
            return False


def _spell(tokens: list[Token]) -> str:
    """The tokens as text: blanks only between words, so that '&' '&' becomes '&&' again."""
    result = ""
    for token in tokens:
        if result and token.text[:1].isalnum() and result[-1].isalnum():
            result += " "
        result += token.text
    return result


def _plain(text: str) -> str:
    """The rest of a directive without continuations and comments."""
    return _COMMENT.sub(lambda m: m[1] or " ", _JOINED.sub(" ", text))


def _key(file: str) -> str:
    try:
        return str(Path(file).resolve())
    except (OSError, ValueError):
        return file
