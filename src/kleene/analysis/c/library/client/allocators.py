"""Allocators without a body, such as `xmalloc` and `xfree`: the client defines them by `malloc` and `free`.

A library has its memory from functions of other files. Their names and types say what they do; that they do it is an
assumption of the result. Where no code of the file compares what one returns with NULL, it ends the program when there
is no memory.
"""

from __future__ import annotations

import re

from kleene.analysis.c.library.interface.exports import Interface, MissingFunction
from kleene.cfa.types import CHAR, IntegerType, PointerType, VoidType

_STANDARD = frozenset(("malloc", "calloc", "realloc", "reallocarray", "free", "strdup", "strndup"))
"""Allocators that the analysis knows, in whatever file they are declared."""
_FREES = re.compile(r"free|release", re.IGNORECASE)
_REALLOCATES = re.compile(r"realloc", re.IGNORECASE)
_DUPLICATES = re.compile(r"strn?dup|strsave", re.IGNORECASE)
_CLEARS = re.compile(r"calloc|zalloc|alloc0|alloc_?z|zero|clear", re.IGNORECASE)
_ENDS = re.compile(
    r"(?:^|_)(?:die|oom|fatal|panic|abort|bail_?out|out_?of_?mem(?:ory)?|no_?mem(?:ory)?)(?:_|$)", re.IGNORECASE
)
"""Names of functions that say what is wrong and end the program."""
_GOES_ON = re.compile(r"log|report|print|warn|msg|message|set|is_|handler", re.IGNORECASE)
"""Names of functions that say so and return."""
_ALLOCATES = re.compile(r"alloc|new|get_?mem", re.IGNORECASE)


def allocator_texts(interface: Interface) -> list[str]:
    """The definitions of the allocators, a line for each."""
    return [text for function in interface.missing if (text := _definition(function))]


def allocator_assumptions(interface: Interface) -> dict[str, str]:
    """What is assumed of each allocator."""
    return {f.name: _words(f) for f in interface.missing if _definition(f)}


def harmless_functions(interface: Interface) -> list[str]:
    """The functions without a body that get no memory of the library but texts to read, such as messages."""
    return [f.name for f in interface.missing if not _definition(f) and _is_harmless(f)]


def _words(function: MissingFunction) -> str:
    expression = _expression(function)
    if expression == _END:
        return f"{function.name}() has no body: it ends the program"
    if expression.startswith("free"):
        return f"{function.name}() has no body: it frees its argument, as free does"
    like = expression.partition("(")[0]
    fails = (
        "" if function.is_tested else ", and ends the program if there is no memory, as calls do not test its result"
    )
    return f"{function.name}() has no body: it returns a block, as {like} does{fails}"


def _definition(function: MissingFunction) -> str:
    expression = _expression(function)
    if not expression or function.name in _STANDARD or (function.variadic and expression != _END):
        return ""
    listed = [f"{type_} a{i}" for i, type_ in enumerate(function.parameters)]
    parameters = ", ".join([*listed, *["..."] * function.variadic]) or "void"
    head = f"{function.result} ({function.name})({parameters})"
    if isinstance(function.types[0].type, VoidType):
        return f"{head} {{ {expression}; }}"
    stops = "" if function.is_tested else "if (!p) abort(); "
    return f"{head} {{ void *p = {expression}; {stops}return p; }}"


def _expression(function: MissingFunction) -> str:
    """The call of the standard library that an allocator is assumed to make; empty if it is no allocator."""
    result, *parameters = (t.type for t in function.types)
    name = function.name
    numbers = [f"a{i}" for i, t in enumerate(parameters) if isinstance(t, IntegerType)]
    pointers = [(f"a{i}", t) for i, t in enumerate(parameters) if isinstance(t, PointerType)]
    blocks = [argument for argument, t in pointers if isinstance(t.target, VoidType)]
    texts = [argument for argument, t in pointers if _is_text(t)]
    if isinstance(result, VoidType) and _ENDS.search(name) and not _GOES_ON.search(name):
        return _END
    if isinstance(result, VoidType):
        return f"free({blocks[-1]})" if blocks and not numbers and not texts and _FREES.search(name) else ""
    if not isinstance(result, PointerType) or not (isinstance(result.target, VoidType) or _is_text(result)):
        return ""
    if texts and _DUPLICATES.search(name):
        return f"strndup({texts[0]}, {numbers[0]})" if numbers else f"strdup({texts[0]})"
    size = " * ".join(numbers)
    if not numbers or len(numbers) > _MOST_NUMBERS or texts:
        return ""
    if blocks and _REALLOCATES.search(name):
        return f"realloc({blocks[-1]}, {size})"
    if not _ALLOCATES.search(name):
        return ""
    return f"calloc({size}, 1)" if _CLEARS.search(name) else f"malloc({size})"


_END = "abort()"
_MOST_NUMBERS = 2
"""Numbers that an allocator gets: how many elements, and how large each is."""


def _is_text(type_: PointerType) -> bool:
    return isinstance(type_.target, IntegerType) and type_.target.bits == CHAR.bits


def _is_harmless(function: MissingFunction) -> bool:
    """Whether a function returns a number or nothing, and all it gets are numbers and texts that it may not write."""
    result, *parameters = function.types
    return isinstance(result.type, IntegerType | VoidType) and all(
        isinstance(p.type, IntegerType) or (isinstance(p.type, PointerType) and _is_text(p.type) and p.constant_target)
        for p in parameters
    )
