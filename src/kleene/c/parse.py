"""Parsing a file with libclang, hermetically: our headers only, and every error that clang reports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kleene.c.clang import cindex, is_internal, kind
from kleene.c.input.system_headers import COMPILER_HEADERS, HEADERS, header_flags, is_machine_folder, is_own_header
from kleene.diagnostics import Diagnostic, InputError, Position, lines_in

LIBRARY = HEADERS / "kleene_library.c"
"""Bodies of functions of standard C and others that are exactly known."""
SYSTEM_MODELS = HEADERS / "kleene_models.c"
"""After `MODELS_BEGIN`, models of functions of the machine and of libraries, which are assumptions."""
BODIES = (LIBRARY, SYSTEM_MODELS)
SUMMARIES = HEADERS / "kleene_text.c"
"""Summaries of the functions of `BODIES` on text, for the analyses."""
MODELS_BEGIN = "/* Models of functions"
TARGETS = {"ILP32": "i386-pc-linux-gnu", "LP64": "x86_64-pc-linux-gnu"}
POINTER_BYTES = {"ILP32": 4, "LP64": 8}
"""The size of pointers in each data model."""
PREPROCESSED = ".i"
_ERROR = 3
_NOT_FOUND = " file not found"
"""The end of clang's message about a missing header."""
_MALLOC_ATTRIBUTE = re.compile(r"(\b__malloc__)( ?\([^()]*\))")
_TOLERATED = (
    "implicit-function-declaration",
    "implicit-int",
    "int-conversion",
    "incompatible-pointer-types",
    "incompatible-function-pointer-types",
    "return-type",
    "return-mismatch",
    "deprecated-non-prototype",
)


class UnitError(InputError):
    """A file that does not compile; `defined` are the functions that clang saw in it nevertheless."""

    def __init__(self, diagnostics: list[Diagnostic], defined: frozenset[str]) -> None:
        super().__init__(diagnostics)
        self.defined = defined


def arguments(flags: Sequence[str], data_model: str) -> list[str]:
    """clang's command line, without the folders of headers; `flags` are the user's."""
    own = ["-std=gnu11", "-nostdinc", "-ferror-limit=0", f"--target={TARGETS[data_model]}", "-w"]
    own += [f"-Wno-error={name}" for name in _TOLERATED]
    return [*own, *(flag for flag in flags if not (flag.startswith("-I") and is_machine_folder(flag[2:])))]


def parse(path: str, flags: list[str], data_model: str) -> Any:
    """The translation unit of a file. Raises InputError, which is a UnitError with all errors in a file that exists.

    The headers are ours, then also those of the machine, then theirs alone: the first way without errors is taken.
    """
    if not Path(path).is_file():
        raise InputError(f"{path}: no such file" if not Path(path).exists() else f"{path}: not a file")
    fewest: list[Diagnostic] = []
    defined: frozenset[str] = frozenset()
    builtins = [] if path.endswith(PREPROCESSED) else ["-include", str(COMPILER_HEADERS / "kleene_builtins.h")]
    for headers in header_flags(data_model):
        unit, errors = _parse_once(path, [*builtins, *flags, *headers])
        if not errors:
            return unit
        defined |= defined_functions(unit)
        if not fewest or _says_more(errors, fewest):
            fewest = errors
    raise UnitError(fewest, defined)


def _says_more(errors: list[Diagnostic], before: list[Diagnostic]) -> bool:
    """Whether the errors with other headers are better ones: a missing file ends the reading and hides what follows."""
    missing, missed = (any(_NOT_FOUND in error.message for error in some) for some in (errors, before))
    return missed if missing or missed else len(errors) < len(before)


def defined_functions(unit: Any) -> frozenset[str]:
    """The functions with a body in a translation unit that other files can call."""
    functions = (c for c in unit.cursor.get_children() if kind(c) == "FUNCTION_DECL" and c.is_definition())
    return frozenset(c.spelling for c in functions if not is_internal(c))


def _parse_once(path: str, flags: list[str]) -> tuple[Any, list[Diagnostic]]:
    module = cindex()
    extra = ["-x", "cpp-output"] if path.endswith(".i") else ["-x", "c"]
    unsaved = _without_gcc_attributes(path) if path.endswith(".i") else []
    try:
        unit = module.Index.create().parse(path, args=[*flags, *extra], unsaved_files=unsaved)
    except module.TranslationUnitLoadError as problem:
        raise InputError(f"{path}: cannot be parsed: {problem}") from problem
    return unit, [_diagnostic(d) for d in unit.diagnostics if d.severity >= _ERROR]


def headers_of(units: Sequence[Any]) -> tuple[str, ...]:
    """The files that translation units include, without the headers of the standard library, which are our own."""
    names = {str(inclusion.include.name) for unit in units for inclusion in unit.get_includes()}
    return tuple(sorted(name for name in names if not is_own_header(name)))


def _without_gcc_attributes(path: str) -> list[tuple[str, str]]:
    """The text of a preprocessed file with what only gcc accepts blanked out, so that columns stay as they are."""
    text = Path(path).read_text(encoding="utf-8", errors="replace")
    scrubbed = _MALLOC_ATTRIBUTE.sub(lambda match: match[1] + " " * len(match[2]), text)
    return [(path, scrubbed)] if scrubbed != text else []


def _diagnostic(problem: Any) -> Diagnostic:
    message = str(problem.spelling)
    missing = re.match(f"'(.*)'{_NOT_FOUND}", message)
    if missing:
        message += f"; pass the folder that has it with -I, such as -I path/to/include (for {missing[1]})"
    return diagnostic_at(problem.location, message)


def diagnostic_at(location: Any, message: str) -> Diagnostic:
    """A message about a place that clang names."""
    if location.file is None:
        return Diagnostic(message)
    file = str(location.file.name)
    return Diagnostic(message, Position(file, location.line, location.column, _line(file, location.line)))


def _line(file: str, number: int) -> str:
    try:
        lines = lines_in(Path(file).read_bytes().decode("utf-8", errors="replace"))
    except OSError:
        return ""
    return lines[number - 1] if 0 < number <= len(lines) else ""
