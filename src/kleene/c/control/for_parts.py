"""Which of init, condition and step a `for` statement has: libclang leaves out the missing ones.

Distinguished by the semicolons between the parentheses; in a macro whose text cannot be matched, by the form of the
parts.
"""

from __future__ import annotations

from typing import Any

from kleene.c.clang import binary_operator, kind, spelling_offset, unary_operator
from kleene.c.unit import Unit


def for_parts(cursor: Any, unit: Unit) -> tuple[Any, Any, Any, Any]:
    """(init, condition, step, body), each of the first three None if missing."""
    *parts, body = cursor.get_children()
    if len(parts) == 3:
        return (*parts, body)
    if not parts:
        return None, None, None, body
    result = _by_text(cursor, parts, unit) or _by_looks(parts)
    return (*result, body)


def _by_text(cursor: Any, parts: list[Any], unit: Unit) -> list[Any] | None:
    location = cursor.extent.start
    text = unit.text(location.file.name) if location.file else b""
    start = location.offset
    if text[start : start + 3] != b"for":
        return None
    marks = _semicolons(text, start + 3)
    if len(marks) != 3:
        return None
    result: list[Any] = [None, None, None]
    for part in parts:
        offset = part.extent.start.offset
        if not start < offset < marks[2]:
            offset = spelling_offset(part.extent.start)
        slot = sum(offset > mark for mark in marks)
        if slot > 2 or result[slot] is not None:
            return None
        result[slot] = part
    return result


def _semicolons(text: bytes, position: int) -> list[int]:
    """The offsets of the two semicolons and of the closing parenthesis."""
    marks: list[int] = []
    depth = 0
    while position < len(text):
        character = text[position : position + 1]
        if text[position : position + 2] == b"/*":
            position = text.find(b"*/", position) + 1
        elif text[position : position + 2] == b"//":
            position = text.find(b"\n", position)
        elif character in (b'"', b"'"):
            position += 1
            while text[position : position + 1] not in (character, b""):
                position += 2 if text[position : position + 1] == b"\\" else 1
        elif character in (b"(", b"{", b"["):
            depth += 1
        elif character in (b")", b"}", b"]"):
            depth -= 1
            if depth == 0:
                return [*marks, position]
        elif character == b";" and depth == 1:
            marks.append(position)
        position += 1
    return marks


def _by_looks(parts: list[Any]) -> list[Any]:
    result: list[Any] = [None, None, None]
    for number, part in enumerate(parts):
        if kind(part) == "DECL_STMT" or (number == 0 and _changes(part) and len(parts) > 1):
            result[0] = part
        elif not _changes(part) and result[1] is None:
            result[1] = part
        else:
            result[2] = part
    return result


def _changes(cursor: Any) -> bool:
    name = kind(cursor)
    if name == "BINARY_OPERATOR":
        return binary_operator(cursor) in ("=", ",")
    if name == "UNARY_OPERATOR":
        return unary_operator(cursor) in ("++", "--", "p++", "p--")
    return name in ("COMPOUND_ASSIGNMENT_OPERATOR", "CALL_EXPR")
