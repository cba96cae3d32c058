"""Lowering of calls: functions of the program, and library functions that the automaton has operations for."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from kleene.c.clang import evaluate, kind
from kleene.c.library import jumps, streams, variadic
from kleene.c.library.atomics import atomic_operation, overflow
from kleene.c.library.outside import BUILTIN, IGNORED, NOT_MODELLED, TEXTS_READ, UNKNOWN_NUMBERS
from kleene.c.library.printing import print_formatted, print_text, write_formatted
from kleene.c.library.scan import scan, scan_text
from kleene.c.library.start_and_end import RUN_HANDLERS
from kleene.c.lowering import LoweringContext, UnsupportedConstruct, strip
from kleene.c.type_reader import is_void
from kleene.cfa.expressions import (
    Binary,
    Cast,
    Comparison,
    Constant,
    Expression,
    FloatConstant,
    FunctionAddress,
    StringLiteral,
    Variable,
    target_of,
    without_casts,
)
from kleene.cfa.operations import (
    BYTES_LEFT,
    FORMAT_BYTE,
    FORMAT_LENGTH,
    LINE_LENGTH,
    NATURAL_SOURCES,
    OUTSIDE_LENGTH,
    READ_BYTE,
    READ_OR_END,
    WORD_LENGTH,
    Allocate,
    Assign,
    Assume,
    Call,
    Error,
    Exit,
    Free,
    HandOut,
    Havoc,
    MemCopy,
    MemSet,
    Realloc,
)
from kleene.cfa.program import TEXT_PRIMITIVES
from kleene.cfa.types import INT, FunctionType, IntegerType, PointerType, Type, is_scalar

ERROR_CALLS = {"__VERIFIER_error": "unreach_call", "reach_error": "unreach_call"}
ASSERT_CALLS = ("__assert_fail", "__assert", "__assert_rtn", "__kleene_assert_fail")
NONDET = "__VERIFIER_nondet_"
NEW_TEXT = "__kleene_new_text"
"""The function of our library that makes the text of `asprintf`."""
_READ = {
    "__kleene_line_length": LINE_LENGTH,
    "__kleene_bytes_left": BYTES_LEFT,
    "__kleene_word_length": WORD_LENGTH,
    "__kleene_read_byte": READ_BYTE,
    "__kleene_read_or_end": READ_OR_END,
    "__kleene_outside_length": OUTSIDE_LENGTH,
    "__kleene_format_length": FORMAT_LENGTH,
    "__kleene_format_size": FORMAT_LENGTH,
    "__kleene_format_byte": FORMAT_BYTE,
}
"""Functions without a body by which the bodies of library functions read from outside, and what they read."""
_ABORTED = 134  # the exit code in a shell of a program that called abort
_FOLDED = {"__builtin_constant_p", "__builtin_object_size", "__builtin_types_compatible_p", "__builtin_offsetof"}

_PREFIX = re.compile(r"^(__builtin_|__isoc99_|__isoc23_|__isoc11_|__xpg_)")
"""Beginnings of other names of library functions: the compiler's, and those of glibc."""
Handler = Callable[["Calls", Any, list[Any], "Expression | None", "Type | None"], "Expression | None"]


class Calls:
    """Calls. A handler gets the call, its arguments, the target and the wanted type, and returns the value."""

    def __init__(self, lower: LoweringContext) -> None:
        self.lower = lower

    def call(self, cursor: Any, target: Expression | None, wanted: Type | None) -> Expression | None:
        """A call; its result in `target` if given, else in a temporary if `wanted` (the type it is converted to)."""
        callee, *arguments = cursor.get_children()
        function = strip(callee)
        while kind(function) == "GENERIC_SELECTION_EXPR":
            function = strip(self.lower.values._generic(function))
        if kind(function) != "DECL_REF_EXPR" or kind(function.referenced) != "FUNCTION_DECL":
            return self._indirect(cursor, callee, arguments, target, wanted)
        name = function.referenced.spelling.removeprefix("__builtin___").removesuffix("_chk")
        own = self.lower.unit.name_of(function.referenced)
        if (name in ASSERT_CALLS or name in ERROR_CALLS) and not self._is_plain(name, own):
            self._error(cursor, name, arguments)
            return None
        if name in _READ:
            return self._havoc(cursor, _READ[name], target, wanted)
        if name.startswith(NONDET):
            for argument in arguments:
                self.lower.effects.effect(argument)
            return self._havoc(cursor, self._source(name), target, wanted)
        linkage = self.lower.unit.linkage
        if own not in linkage.defined_functions:
            self.lower.must_be_there(own, function.referenced, cursor)
        if own in linkage.unread:
            self.lower.unit.needs(own, function.referenced)
        elif own not in linkage.defined_functions:
            plain = _PREFIX.sub("", name)
            if linkage.models.isdisjoint((own, plain)) or self.lower.function == plain:
                handler = HANDLERS.get(plain)
                if handler is not None:
                    return handler(self, cursor, arguments, target, wanted)
                special = self._special(cursor, name, arguments, target, wanted)
                if special is not NotImplemented:
                    return special  # type: ignore[no-any-return]
            if plain in NOT_MODELLED:
                raise UnsupportedConstruct(f"{plain}: {NOT_MODELLED[plain]}", cursor)
            exact = name.replace("__builtin_", BUILTIN, 1)
            own = next((name for name in (own, exact, plain) if name in linkage.library), own)
            self.lower.unit.needs(own, function.referenced)
        return self._direct(cursor, own, arguments, target, wanted)

    def _direct(
        self, cursor: Any, name: str, arguments: list[Any], target: Expression | None, wanted: Type | None
    ) -> Expression | None:
        values = tuple(self.argument(a) for a in arguments)
        stream = streams.POSITION.get(name)
        if stream is not None and name in self.lower.unit.linkage.library and stream < len(values):
            streams.read(self, arguments[stream], values[stream], name)
        result = self._result(cursor, target, wanted)
        self.lower.builder.emit(Call(self.lower.place(cursor), name, values, result))
        return result

    def _indirect(
        self, cursor: Any, callee: Any, arguments: list[Any], target: Expression | None, wanted: Type | None
    ) -> Expression | None:
        pointer = self.lower.values.value(callee)
        if isinstance(pointer, FunctionAddress):
            return self._direct(cursor, pointer.name, arguments, target, wanted)
        values = tuple(self.argument(a) for a in arguments)
        type_ = pointer.type.target if isinstance(pointer.type, PointerType) else pointer.type
        if not isinstance(type_, FunctionType):
            raise UnsupportedConstruct("call through something that is not a function pointer", cursor)
        result = self._result(cursor, target, wanted)
        self.lower.builder.emit(Call(self.lower.place(cursor), pointer, values, result))
        return result

    def argument(self, cursor: Any) -> Expression:
        return self.lower.values._decay(self.lower.values.value(cursor))

    def _address(self, cursor: Any) -> Expression:
        """A pointer argument of a library function, without conversions to other pointers."""
        value = self.argument(cursor)
        while isinstance(value, Cast) and isinstance(value.operand.type, PointerType):
            value = value.operand
        return value

    def _result(self, cursor: Any, target: Expression | None, wanted: Type | None) -> Expression | None:
        type_ = self.lower.type(cursor)
        if is_void(type_) or (target is None and wanted is None):
            return None
        if target is not None:
            return target
        return self.lower.builder.temporary(type_)

    def _target(self, cursor: Any, target: Expression | None, wanted: Type | None) -> Expression:
        """The target of the result of an operation that must have one."""
        if target is not None:
            return target
        return self.lower.builder.temporary(wanted if wanted is not None else self.lower.type(cursor))

    def _is_plain(self, name: str, own: str) -> bool:
        """Whether an error function is just one of the program's functions, since calling it is no error here."""
        linkage = self.lower.unit.linkage
        return _error_kind(name) not in linkage.errors and own in linkage.defined_functions

    def _error(self, cursor: Any, name: str, arguments: list[Any]) -> None:
        kind_ = _error_kind(name)
        if kind_ not in self.lower.unit.linkage.errors:
            self._end(cursor, None)
            return
        message = ""
        if name in ASSERT_CALLS and arguments:
            text = self._text(arguments[0])
            message = text if text is not None else ""
        error = Error(self.lower.place(cursor), kind_, message)
        self.lower.builder.emit(error, self.lower.builder.exit)
        self.lower.builder.here = self.lower.builder.new()

    def _text(self, cursor: Any) -> str | None:
        """The text of a string literal argument."""
        inner = strip(cursor)
        while kind(inner) == "CSTYLE_CAST_EXPR":
            inner = strip(list(inner.get_children())[-1])
        if kind(inner) != "STRING_LITERAL":
            return None
        value = self.lower.values.lvalue(inner)
        return value.value[:-1].decode("latin-1") if isinstance(value, StringLiteral) else None

    def _havoc(self, cursor: Any, name: str, target: Expression | None, wanted: Type | None) -> Expression | None:
        type_ = self.lower.type(cursor)
        if wanted is None and target is None:
            wanted = type_
        if is_void(type_):
            return None
        if not is_scalar(type_):
            raise UnsupportedConstruct(f"{name} with a result that is not a number", cursor)
        result = target if target is not None and target.type == type_ else self.lower.builder.temporary(type_)
        self.lower.builder.emit(Havoc(self.lower.place(cursor), result, name))
        if name in NATURAL_SOURCES:
            self._suppose(cursor, Comparison(">=", result, Constant(0, type_)))
        return result

    def _suppose(self, cursor: Any, condition: Expression) -> None:
        """Only runs in which the condition holds go on."""
        place, here = self.lower.place(cursor), self.lower.builder.here
        self.lower.builder.branch(here, Assume(place, condition, truth=False), self.lower.builder.new())
        self.lower.builder.emit(Assume(place, condition))

    def _source(self, name: str) -> str:
        """The source of a number: the function that gives it, or the function of our library whose body asks for it."""
        function, linkage = self.lower.function, self.lower.unit.linkage
        ours = function not in linkage.models and linkage.library.get(function) == self.lower.unit.file
        return function if ours else name

    def _special(
        self, cursor: Any, name: str, arguments: list[Any], target: Expression | None, wanted: Type | None
    ) -> Any:
        """Functions of several names that are treated alike; NotImplemented for all others."""
        if name in _FOLDED:
            value = evaluate(cursor)
            if value is None and name == "__builtin_object_size":  # any answer is allowed
                return self._havoc(cursor, name, target, wanted)
            return Constant(int(value) if value is not None else 0, self.lower.type(cursor))
        if name in UNKNOWN_NUMBERS or name in IGNORED:
            for position, argument in enumerate(arguments):
                if streams.POSITION.get(name) == position:
                    streams.use(self, argument, name)
                elif name in TEXTS_READ and _is_text(self.lower.type(argument)):
                    print_text(self, cursor, None, [argument], None)
                else:
                    self.lower.effects.effect(argument)
        if name in UNKNOWN_NUMBERS:
            return self._havoc(cursor, name, target, wanted)
        if name in IGNORED:
            return self._havoc(cursor, name, target, wanted) if wanted is not None else None
        if name.startswith("__sync_"):
            return atomic_operation(self, cursor, name, arguments)
        return NotImplemented

    def _end(self, cursor: Any, status: Expression | None) -> None:
        if status is None and self.lower.unit.linkage.cleanup_at_abort:
            status = Constant(_ABORTED, INT)
        self.lower.builder.emit(Exit(self.lower.place(cursor), status), self.lower.builder.exit)
        self.lower.builder.here = self.lower.builder.new()

    def malloc(self, cursor: Any, size: Expression, target: Expression, *, zeroed: bool, stack: bool) -> Expression:
        type_ = target.type
        element = type_.target if isinstance(type_, PointerType) and not is_void(type_.target) else None
        self.lower.builder.emit(
            Allocate(self.lower.place(cursor), target, size, element, zeroed=zeroed, may_fail=not stack, stack=stack)
        )
        return target


def _error_kind(name: str) -> str:
    """The kind of error that a call of an error function is."""
    return ERROR_CALLS.get(name, "assertion")


def _malloc(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Expression:
    return c.malloc(cursor, c.lower.values.value(args[0]), c._target(cursor, target, wanted), zeroed=False, stack=False)


def _alloca(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Expression:
    return c.malloc(cursor, c.lower.values.value(args[0]), c._target(cursor, target, wanted), zeroed=False, stack=True)


def _calloc(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Expression:
    count, each = c.lower.values.value(args[0]), c.lower.values.value(args[1])
    size: Expression = Binary("*", count, each, each.type)
    result = c._target(cursor, target, wanted)
    factor, variable = (each, count) if isinstance(each, Constant) else (count, each)
    if isinstance(count, Constant) and isinstance(each, Constant):
        size = Constant(count.value * each.value, each.type)
    elif isinstance(factor, Constant) and factor.value > 1 and isinstance(each.type, IntegerType):
        return _calloc_within(c, cursor, size, result, Comparison(">", variable, _most(each.type, factor.value)))
    return c.malloc(cursor, size, result, zeroed=True, stack=False)


def _most(type_: IntegerType, factor: int) -> Constant:
    """The largest number whose product with a factor does not overflow."""
    return Constant(type_.maximum // factor, type_)


def _calloc_within(c: Calls, cursor: Any, size: Expression, result: Expression, overflows: Expression) -> Expression:
    """`calloc` returns NULL where the size of all elements overflows, so a block has room for all of them."""
    builder, place = c.lower.builder, c.lower.place(cursor)
    yes, no, end = builder.new(), builder.new(), builder.new()
    c.lower.effects.branch_on(cursor, overflows, yes, no)
    builder.here = yes
    builder.emit(Assign(place, result, Constant(0, result.type)))
    builder.connect(builder.here, end, place)
    builder.here = no
    c.malloc(cursor, size, result, zeroed=True, stack=False)
    builder.connect(builder.here, end, place)
    builder.here = end
    return result


def _realloc(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Expression:
    pointer, size = c._address(args[0]), c.lower.values.value(args[1])
    result = c._target(cursor, target, wanted)
    builder, place = c.lower.builder, c.lower.place(cursor)
    more, end = builder.new(), builder.new()
    if not _is_null(pointer) and not (isinstance(size, Constant) and size.value):
        _realloc_to_nothing(c, cursor, (pointer, size, result), more, end)
    else:
        builder.connect(builder.here, more, place)
    builder.here = more
    builder.emit(Realloc(place, result, pointer, size))
    builder.connect(builder.here, end, place)
    builder.here = end
    return result


def _realloc_to_nothing(
    c: Calls, cursor: Any, call: tuple[Expression, Expression, Expression], more: int, end: int
) -> None:
    """`realloc` of a block to size 0 frees it and returns NULL, as in glibc; goes on at `more` for all other calls.

    C17 (7.22.3.5) leaves to the library whether the block is freed; in C23 the call has no meaning.
    """
    builder, place = c.lower.builder, c.lower.place(cursor)
    pointer, size, result = call
    zero, block = builder.new(), builder.new()
    c.lower.effects.branch_on(cursor, Comparison("==", size, Constant(0, size.type)), zero, more)
    builder.here = zero
    c.lower.effects.branch_on(cursor, Comparison("==", pointer, Constant(0, pointer.type)), more, block)
    builder.here = block
    builder.emit(Free(place, pointer))
    builder.emit(Assign(place, result, Constant(0, result.type)))
    builder.connect(builder.here, end, place)


def _is_null(pointer: Expression) -> bool:
    pointer = without_casts(pointer)
    return isinstance(pointer, Constant) and pointer.value == 0


def _free(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> None:
    c.lower.builder.emit(Free(c.lower.place(cursor), c._address(args[0])))


def _hand_out(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> None:
    c.lower.builder.emit(HandOut(c.lower.place(cursor), c._address(args[0])))


def _memset(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Expression:
    pointer, value, size = c._address(args[0]), c.lower.values.value(args[1]), c.lower.values.value(args[2])
    c.lower.builder.emit(MemSet(c.lower.place(cursor), pointer, value, size))
    return pointer


def _memcpy(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Expression:
    destination, source, size = c._address(args[0]), c._address(args[1]), c.lower.values.value(args[2])
    overlapping = "memmove" in cursor.spelling
    c.lower.builder.emit(MemCopy(c.lower.place(cursor), destination, source, size, overlapping=overlapping))
    return destination


def _exit(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> None:
    status = c.lower.values.value(args[0]) if args else Constant(0, INT)
    if not isinstance(status, Constant | Variable):  # what only its evaluation holds is lost before the program ends
        status = c.lower.as_temporary(cursor, status)
    if cursor.spelling == "exit" and c.lower.unit.linkage.runs.at_exit:
        c.lower.builder.emit(Call(c.lower.place(cursor), RUN_HANDLERS, ()))
    c._end(cursor, status)


def _abort(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> None:
    c._end(cursor, None)


def _assume(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> None:
    yes, no = c.lower.builder.new(), c.lower.builder.new()
    c.lower.effects.condition(args[0], yes, no)
    c.lower.builder.here = yes


def _expect(
    c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None
) -> Expression | None:
    if target is None and wanted is None:
        c.lower.effects.effect(args[0])
        return None
    return c.lower.values.value(args[0])


def _setjmp(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Expression:
    return jumps.set_place(c.lower, cursor, c.argument(args[0]), c._target(cursor, target, wanted))


def _longjmp(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> None:
    jumps.jump(c.lower, cursor, c.argument(args[0]), c.lower.values.value(args[1]))


def _begin_stream(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Expression:
    return streams.begin(c, cursor, c.lower.values.value(args[0]), c._target(cursor, target, wanted))


def _end_stream(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> None:
    streams.end(c, cursor, c._address(args[0]))


def _unreachable(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> None:
    raise UnsupportedConstruct("__builtin_unreachable reached", cursor)


def _va_start(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> None:
    variadic.start(c.lower, cursor, args)


def _va_copy(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> None:
    variadic.copy(c.lower, cursor, args)


def _va_end(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> None:
    pass


def _printf(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Any:
    return print_formatted(c, cursor, args[0], args[1:], wanted)


def _fprintf(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Any:
    streams.use(c, args[0], cursor.spelling)
    return print_formatted(c, cursor, args[1], args[2:], wanted)


def _puts(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Any:
    text = c._text(args[0])
    if text is not None:
        return print_text(c, cursor, text.replace("%", "%%") + "\n", [], wanted)
    return print_text(c, cursor, None, args, wanted)


def _fputs(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Any:
    streams.use(c, args[1], cursor.spelling)
    return print_text(c, cursor, None, args[:1], wanted)


def _perror(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Any:
    return print_text(c, cursor, None, args, wanted)


def _putchar(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Any:
    return print_text(c, cursor, "%c", args, wanted)


def _scanf(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Expression:
    return scan(c, cursor, args[0], args[1:])


def _sscanf(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Expression:
    return scan_text(c, cursor, args[0], args[1], args[2:])


def _fscanf(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Expression:
    streams.use(c, args[0], cursor.spelling)
    return scan(c, cursor, args[1], args[2:])


def _sprintf(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Expression:
    return write_formatted(c, cursor, c.argument(args[0]), None, args[1], args[2:])


def _snprintf(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Expression:
    return write_formatted(c, cursor, c.argument(args[0]), c.argument(args[1]), args[2], args[3:])


def _asprintf(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Any:
    print_formatted(c, cursor, args[1], args[2:], None)
    c.lower.unit.needs(NEW_TEXT, cursor)
    return c._direct(cursor, NEW_TEXT, args[:1], target, wanted)


def _dprintf(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Any:
    c.lower.effects.effect(args[0])
    return print_formatted(c, cursor, args[1], args[2:], wanted)


def _warn(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> None:
    print_formatted(c, cursor, args[0], args[1:], None)


def _err(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> None:
    print_formatted(c, cursor, args[1], args[2:], None)
    _exit(c, cursor, args[:1], target, wanted)


def _overflow(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Expression:
    return overflow(c, cursor, args)


def _time(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Any:
    """Any number; it is stored as well if there is a place for it."""
    pointer = c._address(args[0])
    if isinstance(pointer.type, PointerType) and not (isinstance(pointer, Constant) and pointer.value == 0):
        c.lower.builder.emit(Havoc(c.lower.place(cursor), target_of(pointer, pointer.type.target), "time"))
    return c._havoc(cursor, "time", target, wanted)


def _infinity(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Expression:
    return FloatConstant(float("inf"), c.lower.type(cursor))


def _primitive(c: Calls, cursor: Any, args: list[Any], target: Expression | None, wanted: Type | None) -> Any:
    """An operation of the summaries of library functions; only analyses execute it."""
    return c._direct(cursor, cursor.spelling, args, target, wanted)


def _is_text(type_: Type) -> bool:
    return isinstance(type_, PointerType) and isinstance(type_.target, IntegerType) and type_.target.size == 1


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(TEXT_PRIMITIVES, _primitive),
    "malloc": _malloc,
    "alloca": _alloca,
    "calloc": _calloc,
    "realloc": _realloc,
    "free": _free,
    "memset": _memset,
    "memcpy": _memcpy,
    "memmove": _memcpy,
    "exit": _exit,
    "_exit": _exit,
    "_Exit": _exit,
    "abort": _abort,
    "trap": _abort,
    "__VERIFIER_assume": _assume,
    "expect": _expect,
    "expect_with_probability": _expect,
    "unreachable": _unreachable,
    "__kleene_begin_stream": _begin_stream,
    "__kleene_end_stream": _end_stream,
    "__kleene_hand_out": _hand_out,
    **dict.fromkeys(("setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp"), _setjmp),
    **dict.fromkeys(("longjmp", "_longjmp", "siglongjmp"), _longjmp),
    "va_start": _va_start,
    "va_end": _va_end,
    "va_copy": _va_copy,
    "printf": _printf,
    "fprintf": _fprintf,
    "puts": _puts,
    "fputs": _fputs,
    "perror": _perror,
    "putchar": _putchar,
    "time": _time,
    "asprintf": _asprintf,
    "dprintf": _dprintf,
    "syslog": _dprintf,
    "warn": _warn,
    "warnx": _warn,
    "err": _err,
    "errx": _err,
    "add_overflow": _overflow,
    "sub_overflow": _overflow,
    "mul_overflow": _overflow,
    "sprintf": _sprintf,
    "snprintf": _snprintf,
    "scanf": _scanf,
    "fscanf": _fscanf,
    "sscanf": _sscanf,
    "huge_val": _infinity,
    "inf": _infinity,
}
