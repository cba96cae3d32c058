"""The parts of libclang that the reader uses: the Python binding, and missing functions through ctypes.

The binding of version 18 has no operator kinds, no values of literals and no initialisers of variables, though the
library exports them. Cursors and clang types are `Any` here: the binding has no annotations.
"""

from __future__ import annotations

import ctypes
import re
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

BINARY_OPERATORS = dict(
    enumerate(
        [
            "?",
            "?",
            "*",
            "/",
            "%",
            "+",
            "-",
            "<<",
            ">>",
            "<=>",
            "<",
            ">",
            "<=",
            ">=",
            "==",
            "!=",
            "&",
            "^",
            "|",
            "&&",
            "||",
            "=",
            "*=",
            "/=",
            "%=",
            "+=",
            "-=",
            "<<=",
            ">>=",
            "&=",
            "^=",
            "|=",
            ",",
        ],
        start=1,
    )
)
UNARY_OPERATORS = dict(
    enumerate(["p++", "p--", "++", "--", "&", "*", "+", "-", "~", "!", "real", "imag", "extension"], start=1)
)

_DEPTH = 20_000
_EVALUATED_INT = 1
_EVALUATED_FLOAT = 2


@cache
def cindex() -> Any:
    """The binding, loaded once."""
    module = import_module("clang.cindex")
    library = module.conf.lib
    for name in ("clang_getCursorBinaryOperatorKind", "clang_getCursorUnaryOperatorKind"):
        getattr(library, name).argtypes = [module.Cursor]
        getattr(library, name).restype = ctypes.c_int
    library.clang_Cursor_Evaluate.argtypes = [module.Cursor]
    library.clang_Cursor_Evaluate.restype = ctypes.c_void_p
    for name, result in (
        ("getKind", ctypes.c_int),
        ("getAsLongLong", ctypes.c_longlong),
        ("getAsUnsigned", ctypes.c_ulonglong),
        ("isUnsignedInt", ctypes.c_uint),
        ("getAsDouble", ctypes.c_double),
        ("dispose", None),
    ):
        function = getattr(library, f"clang_EvalResult_{name}")
        function.argtypes = [ctypes.c_void_p]
        function.restype = result
    library.clang_Cursor_isFunctionInlined.argtypes = [module.Cursor]
    library.clang_Cursor_isFunctionInlined.restype = ctypes.c_uint
    library.clang_Cursor_getVarDeclInitializer.argtypes = [module.Cursor]
    library.clang_Cursor_getVarDeclInitializer.restype = module.Cursor
    library.clang_Type_getValueType.argtypes = [module.Type]
    library.clang_Type_getValueType.restype = module.Type
    library.clang_Type_getValueType.errcheck = module.Type.from_result
    library.clang_getSpellingLocation.argtypes = [
        module.SourceLocation,
        ctypes.POINTER(ctypes.c_void_p),
        *[ctypes.POINTER(ctypes.c_uint)] * 3,
    ]
    library.clang_getSpellingLocation.restype = None
    library.clang_getCursorPrintingPolicy.argtypes = [module.Cursor]
    library.clang_getCursorPrintingPolicy.restype = ctypes.c_void_p
    library.clang_PrintingPolicy_dispose.argtypes = [ctypes.c_void_p]
    library.clang_PrintingPolicy_dispose.restype = None
    library.clang_getCursorPrettyPrinted.argtypes = [module.Cursor, ctypes.c_void_p]
    library.clang_getCursorPrettyPrinted.restype = module._CXString
    library.clang_getCursorPrettyPrinted.errcheck = module._CXString.from_result
    return module


def is_internal(cursor: Any) -> bool:
    """Whether no other file sees a function or a variable: any of its declarations may say `static` (C17, 6.2.2)."""
    return bool(cursor.linkage.name == "INTERNAL")


def kind(cursor: Any) -> str:
    """The name of the cursor's kind, such as `IF_STMT`."""
    try:
        return str(cursor.kind.name)
    except ValueError:
        return "UNKNOWN"


def attributes(cursor: Any) -> set[str]:
    """The names of the attributes of a declaration, without underscores."""
    parts = (part for part in cursor.get_children() if part.kind.is_attribute())
    return {next((token.spelling for token in part.get_tokens()), "").strip("_") for part in parts}


def attribute_argument(cursor: Any, name: str) -> str:
    """The argument of an attribute of a declaration; '' without one.

    clang prints the declaration, because macros may make the argument.
    """
    library = cindex().conf.lib
    policy = library.clang_getCursorPrintingPolicy(cursor)
    try:
        text = str(library.clang_getCursorPrettyPrinted(cursor, policy))
    finally:
        library.clang_PrintingPolicy_dispose(policy)
    match = re.search(rf'\b{name}\("?([^")]*)"?\)', text)
    return match[1] if match else ""


def binary_operator(cursor: Any) -> str:
    return BINARY_OPERATORS.get(cindex().conf.lib.clang_getCursorBinaryOperatorKind(cursor), "?")


def unary_operator(cursor: Any) -> str:
    return UNARY_OPERATORS.get(cindex().conf.lib.clang_getCursorUnaryOperatorKind(cursor), "?")


def evaluate(cursor: Any) -> int | float | None:
    """The value of a constant expression, or None."""
    library = cindex().conf.lib
    result = library.clang_Cursor_Evaluate(cursor)
    if not result:
        return None
    try:
        kind = library.clang_EvalResult_getKind(result)
        if kind == _EVALUATED_INT:
            if library.clang_EvalResult_isUnsignedInt(result):
                return int(library.clang_EvalResult_getAsUnsigned(result))
            return int(library.clang_EvalResult_getAsLongLong(result))
        if kind == _EVALUATED_FLOAT:
            return float(library.clang_EvalResult_getAsDouble(result))
        return None
    finally:
        library.clang_EvalResult_dispose(result)


def initializer(cursor: Any) -> Any:
    """The initialiser of a variable, or None."""
    module = cindex()
    result = module.conf.lib.clang_Cursor_getVarDeclInitializer(cursor)
    if result == module.conf.lib.clang_getNullCursor():
        return None
    result._tu = cursor._tu
    return result


def selected(cursor: Any) -> Any:
    """The expression that `_Generic` selects, or None.

    libclang does not say which one it is. It is the only one whose type is that of the whole.
    """
    _, *results = (part for part in cursor.get_children() if part.kind.is_expression())
    own = cursor.type.get_canonical().spelling
    fitting = [part for part in results if part.type.get_canonical().spelling == own]
    return fitting[0] if len(fitting) == 1 else None


def spelling_offset(location: Any) -> int:
    """The offset of a location where it is written, inside a macro definition too."""
    offset = ctypes.c_uint()
    cindex().conf.lib.clang_getSpellingLocation(location, None, None, None, ctypes.byref(offset))
    return offset.value


def string_units(cursor: Any, width: int) -> list[int]:
    """The elements of a string literal, each of `width` bytes, with its terminating zero."""
    if width == 1:
        return list(string_value(cursor))
    encoding, form = ("utf-16-le", "H") if width == _UTF_16 else ("utf-32-le", "I")
    data = _wide_text(cursor.spelling).encode(encoding, "surrogatepass")
    return [*(unit for (unit,) in struct.iter_unpack(f"<{form}", data)), 0]


def _wide_text(spelling: str) -> str:
    """The characters between the quotes of a wide literal as clang prints it: with octal, \\x, \\u and \\U escapes."""

    def character(match: re.Match[str]) -> str:
        octal, code, plain = match.groups()
        if octal or code:
            return chr(int(octal, 8) if octal else int(code[1:], 16))
        return _ESCAPES.get(plain, plain)

    text = spelling[spelling.find('"') + 1 : -1].replace('""', "")  # clang separates an escape from a digit so
    return re.sub(r"\\(?:([0-7]{1,3})|(x[0-9a-fA-F]+|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})|(.))", character, text)


_UTF_16 = 2  # bytes of an element
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def string_value(cursor: Any) -> bytes:
    """The bytes of a string literal, with its terminating zero, from the spelling that clang prints."""
    text = cursor.spelling
    start = text.find('"')
    out = bytearray()
    position = start + 1
    while position < len(text) - 1:
        if text[position] != "\\":
            out += text[position].encode("utf-8")
            position += 1
            continue
        position += 1
        digits = ""
        while len(digits) < 3 and position < len(text) and text[position] in "01234567":
            digits += text[position]
            position += 1
        if digits:
            out.append(int(digits, 8) & 255)
            continue
        out += _ESCAPES.get(text[position], text[position]).encode("utf-8")
        position += 1
    return bytes(out) + b"\0"


@contextmanager
def raise_from_callbacks() -> Iterator[None]:
    """Re-raises exceptions of libclang callbacks, which Python drops: otherwise children would be missing silently.

    The recursion limit is raised, because long chains of operators are deep trees.
    """
    dropped: list[BaseException] = []
    limit, hook = sys.getrecursionlimit(), sys.unraisablehook

    def note(problem: Any) -> None:
        dropped.append(problem.exc_value or RuntimeError(str(problem.err_msg)))

    sys.setrecursionlimit(max(limit, _DEPTH))
    sys.unraisablehook = note
    try:
        yield
    finally:
        sys.unraisablehook = hook
        sys.setrecursionlimit(limit)
        if dropped:
            raise dropped[0]
