"""Mutants of programs: small edits of the source text at places that libclang names.

Statements are deleted, swapped and duplicated; conditions negated or dropped; variables, members, constants and
operators replaced by others; sizes of blocks changed by one. The compiler refuses those that are no programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kleene.c.clang import cindex
from kleene.c.options import DEFAULT, parse_unit

_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_OTHERS = {"&&": ("||",), "||": ("&&",), "+": ("-",), "-": ("+",), "++": ("--",), "--": ("++",)}
_LOCAL_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"[^\n]*$', re.MULTILINE)
_BLOCKS = frozenset(("malloc", "calloc", "realloc"))


@dataclass(frozen=True, order=True)
class Edit:
    """Replaces the bytes from `start` to `end`."""

    start: int
    end: int
    text: str
    kind: str

    def apply(self, source: bytes) -> bytes:
        return source[: self.start] + self.text.encode() + source[self.end :]


def whole_text(files: Sequence[Path]) -> str:
    """The program in one text: its own headers are put in their places, once."""
    seen: set[Path] = set()

    def expanded(file: Path) -> str:
        if file in seen:
            return ""
        seen.add(file)
        text = file.read_text(encoding="utf-8")
        return _LOCAL_INCLUDE.sub(lambda match: expanded((file.parent / match[1]).resolve()), text)

    return "\n".join(expanded(file.resolve()) for file in files)


def edits(path: Path) -> list[Edit]:
    """All edits of a program in one file, in the order of the text."""
    unit = parse_unit(str(path), DEFAULT)
    source = path.read_bytes()
    return sorted(set(_Finder(unit, source, str(path)).edits()))


@dataclass(frozen=True)
class _Finder:
    """Looks for edits in the functions of one translation unit."""

    unit: Any
    source: bytes
    path: str

    def edits(self) -> Iterator[Edit]:
        kinds = cindex().CursorKind
        for function in self.unit.cursor.get_children():
            at = function.location.file
            if function.kind == kinds.FUNCTION_DECL and at is not None and at.name == self.path:
                names = _variables(function, self.unit, self.path)
                for cursor in function.walk_preorder():
                    yield from self._at(cursor, names)

    def _at(self, cursor: Any, names: dict[str, set[str]]) -> Iterator[Edit]:
        kinds = cindex().CursorKind
        if not self._written(cursor):
            return
        if cursor.kind == kinds.COMPOUND_STMT:
            yield from self._statements(list(cursor.get_children()))
        elif cursor.kind in (kinds.IF_STMT, kinds.WHILE_STMT):
            yield from self._condition(cursor)
        elif cursor.kind == kinds.DECL_REF_EXPR:
            yield from self._other_names(cursor, names.get(_type(cursor), set()), "variable")
        elif cursor.kind == kinds.MEMBER_REF_EXPR:
            yield from self._members(cursor)
        elif cursor.kind == kinds.INTEGER_LITERAL:
            yield from self._constant(cursor)
        elif cursor.kind in (kinds.BINARY_OPERATOR, kinds.UNARY_OPERATOR):
            yield from self._operator(cursor)
        elif cursor.kind == kinds.CALL_EXPR and cursor.spelling in _BLOCKS:
            yield from self._size(cursor)

    def _written(self, cursor: Any) -> bool:
        """Whether the cursor is text of the file itself, not of a macro."""
        extent = cursor.extent
        start = extent.start
        return start.file is not None and start.file.name == self.path and start.offset < extent.end.offset

    def _span(self, cursor: Any) -> tuple[int, int]:
        """The bytes of a cursor, with the semicolon behind a statement."""
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        after = re.match(rb"\s*;", self.source[end:])
        return start, end + (len(after[0]) if after and not self.source[start:end].endswith((b";", b"}")) else 0)

    def _statements(self, statements: list[Any]) -> Iterator[Edit]:
        kinds = cindex().CursorKind
        spans = [self._span(s) for s in statements if self._written(s)]
        plain = [s.kind not in (kinds.DECL_STMT, kinds.LABEL_STMT) for s in statements if self._written(s)]
        for number, (start, end) in enumerate(spans):
            if plain[number]:
                yield Edit(start, end, ";", "delete")
                yield Edit(end, end, " " + self._text(start, end), "duplicate")
            if number and plain[number] and plain[number - 1]:
                first, last = spans[number - 1]
                middle = self._text(last, start)
                yield Edit(first, end, self._text(start, end) + middle + self._text(first, last), "swap")

    def _condition(self, cursor: Any) -> Iterator[Edit]:
        condition = next(iter(cursor.get_children()))
        if not self._written(condition):
            return
        start, end = condition.extent.start.offset, condition.extent.end.offset
        text = self._text(start, end)
        yield Edit(start, end, f"!({text})", "negate")
        yield Edit(start, end, f"({text}) || 1", "always")
        yield Edit(start, end, f"({text}) && 0", "never")
        for number, part in enumerate(text.split("&&")):
            rest = [other for n, other in enumerate(text.split("&&")) if n != number]
            if rest and part.count("(") == part.count(")"):
                yield Edit(start, end, "&&".join(rest).strip(), "drop test")

    def _other_names(self, cursor: Any, names: set[str], kind: str) -> Iterator[Edit]:
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        if self._text(start, end) == cursor.spelling:
            yield from (Edit(start, end, name, kind) for name in sorted(names - {cursor.spelling}))

    def _members(self, cursor: Any) -> Iterator[Edit]:
        member = cursor.referenced
        if member is None:
            return
        record, kinds = member.semantic_parent, cindex().CursorKind
        others = {f.spelling for f in record.get_children() if f.kind == kinds.FIELD_DECL and _type(f) == _type(member)}
        end = cursor.extent.end.offset
        start = end - len(cursor.spelling.encode())
        if self._text(start, end) == cursor.spelling:
            yield from (Edit(start, end, name, "member") for name in sorted(others - {cursor.spelling, ""}))

    def _constant(self, cursor: Any) -> Iterator[Edit]:
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        text = self._text(start, end)
        if text.isdigit():
            for other in (int(text) + 1, int(text) - 1, 0):
                if other != int(text):
                    yield Edit(start, end, f"{other}" if other >= 0 else f"({other})", "constant")

    def _operator(self, cursor: Any) -> Iterator[Edit]:
        inner = list(cursor.get_children())
        if not all(self._written(child) for child in inner):
            return
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        if len(inner) == 2:
            start, end = inner[0].extent.end.offset, inner[1].extent.start.offset
        token = re.search(r"[-+=!<>&|]+", self._text(start, end))
        if token is None:
            return
        others = _COMPARISONS if token[0] in _COMPARISONS else _OTHERS.get(token[0], ())
        for other in others:
            if other != token[0]:
                yield Edit(start + token.start(), start + token.end(), other, "operator")

    def _size(self, cursor: Any) -> Iterator[Edit]:
        size = list(cursor.get_arguments())[-1]
        if self._written(size):
            start, end = size.extent.start.offset, size.extent.end.offset
            text = self._text(start, end)
            yield from (
                Edit(start, end, other, "size") for other in (f"({text}) - 1", f"({text}) / 2", f"({text}) + 1")
            )

    def _text(self, start: int, end: int) -> str:
        return self.source[start:end].decode()


def _type(cursor: Any) -> str:
    return str(cursor.type.get_canonical().spelling)


def _variables(function: Any, unit: Any, path: str) -> dict[str, set[str]]:
    """The names of variables that may be visible in a function, by their types."""
    kinds = cindex().CursorKind
    names: dict[str, set[str]] = {}
    outside = [c for c in unit.cursor.get_children() if c.location.file is not None and c.location.file.name == path]
    for cursor in [*(c for c in outside if c.kind == kinds.VAR_DECL), *function.walk_preorder()]:
        if cursor.kind in (kinds.VAR_DECL, kinds.PARM_DECL) and cursor.spelling:
            names.setdefault(_type(cursor), set()).add(cursor.spelling)
    return names
