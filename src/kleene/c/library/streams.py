"""Streams: a stream is a block of the library that begins with `fopen` and ends with `fclose` (C17, 7.21.5).

A read of the block stands for each use, so the use of a stream that is NULL or closed is a finding. The standard
streams are taken to be open where they are named at the call. A stream that is never closed is no leak: `exit` closes
it, and the library keeps a list of its streams.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kleene.c.clang import kind
from kleene.c.library.outside import STANDARD, is_our_stream
from kleene.c.lowering import strip
from kleene.cfa.expressions import Cast, Comparison, Constant, Deref, Expression
from kleene.cfa.operations import Allocate, Assign, Error, Free
from kleene.cfa.types import PointerType

if TYPE_CHECKING:
    from kleene.c.calls import Calls

FLUSH = "fflush"
"""The function to which NULL means all streams."""
POSITION = {
    **dict.fromkeys(("fgetc", "getc", "getc_unlocked", "feof", "ferror", "fileno", "fseek", "fseeko", "ftell"), 0),
    **dict.fromkeys(("ftello", "rewind", "clearerr", "setbuf", "setvbuf", "setlinebuf", "flockfile", "funlockfile"), 0),
    **dict.fromkeys(("fprintf", "vfprintf", "fscanf", "vfscanf", "fpurge", "fgetpos", "fsetpos", FLUSH, "readdir"), 0),
    **dict.fromkeys(("fclose", "pclose", "closedir"), 0),
    **dict.fromkeys(("fputs", "fputc", "putc", "putc_unlocked", "ungetc"), 1),
    **dict.fromkeys(("fgets", "getline", "freopen"), 2),
    **dict.fromkeys(("fread", "fwrite", "getdelim"), 3),
}
"""Which argument of a library function is the stream."""


def use(calls: Calls, cursor: Any, name: str) -> None:
    """Evaluate an argument of a function that is a stream, and use it."""
    if not _is_standard(cursor):
        read(calls, cursor, calls.argument(cursor), name)


def read(calls: Calls, cursor: Any, stream: Expression, name: str) -> None:
    """A function uses a stream: an error if it is NULL, then the read that finds streams which are closed."""
    if _is_standard(cursor) or not (is_our_stream(stream.type) or isinstance(stream, Constant)):
        return
    builder, place = calls.lower.builder, calls.lower.place(cursor)
    number = calls.lower.values.difference_type()
    some, none, end = builder.new(), builder.new(), builder.new()
    calls.lower.effects.branch_on(cursor, Comparison("!=", stream, Constant(0, stream.type)), some, none)
    builder.here = some
    pointer = Cast(stream, calls.lower.pointer_to(number))
    builder.emit(Assign(place, builder.temporary(number), Deref(pointer, number)), end)
    if name == FLUSH:
        builder.connect(none, end, place)
    else:
        builder.branch(none, Error(place, "null_dereference", f"the stream that {name} gets is NULL"), builder.exit)
    builder.here = end


def _is_standard(cursor: Any) -> bool:
    inner = strip(cursor)
    return kind(inner) == "DECL_REF_EXPR" and inner.spelling in STANDARD and kind(inner.referenced) == "VAR_DECL"


def begin(calls: Calls, cursor: Any, size: Expression, target: Expression) -> Expression:
    """A stream begins."""
    element = target.type.target if isinstance(target.type, PointerType) else None
    place = calls.lower.place(cursor)
    calls.lower.builder.emit(Allocate(place, target, size, element, may_fail=False, stack=True, scoped=True))
    return target


def end(calls: Calls, cursor: Any, stream: Expression) -> None:
    """A stream is closed."""
    calls.lower.builder.emit(Free(calls.lower.place(cursor), stream, stack=True))
