"""Options for reading a C program: one value for the reader and for all analyses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kleene.c.input.database import read_database
from kleene.c.parse import TARGETS, arguments, parse
from kleene.c.unit import ERRORS
from kleene.diagnostics import UsageError


@dataclass(frozen=True)
class ReadOptions:
    """The meaning of the C files: preprocessor options, the machine, and the behaviour of library functions.

    `defines` are as for `-D`: "NAME" or "NAME=VALUE". `data_model` is "ILP32" (32-bit pointers and long) or "LP64".
    """

    include: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    """Options of a compiler, as `split_options` keeps them."""
    database: str = ""
    """The folder of a compilation database, with the options of each file."""
    entry: str = "main"
    keeps_result: bool = True
    """Whether the caller of an entry other than `main` keeps what it returns; bodies with contracts have no caller."""
    data_model: str = "LP64"
    errors: frozenset[str] = ERRORS
    """The kinds of error calls that end a run. Others execute their body, or abort."""
    cleanup_at_abort: bool = False
    """Whether an abort is an exit, where every block must have been freed."""
    malloc_may_fail: bool = True
    extern: tuple[str, ...] = ()
    """Models of functions without a body: "NAME=MODEL" (`library/models.py`)."""
    models: tuple[str, ...] = ()
    """C files with bodies for functions that the program does not define."""

    def __post_init__(self) -> None:
        if self.data_model not in TARGETS:
            raise UsageError(f"data model '{self.data_model}' is not known; it is {' or '.join(TARGETS)}")

    @property
    def compiler_flags(self) -> tuple[str, ...]:
        """What a compiler is told for every file."""
        return (*(f"-I{folder}" for folder in self.include), *(f"-D{name}" for name in self.defines), *self.flags)


def parse_unit(file: str, options: ReadOptions) -> Any:
    """The translation unit of a file, read with the options of its entry in the database and those for every file."""
    own = read_database(options.database).flags_of(file) if options.database else ()
    return parse(file, arguments([*own, *options.compiler_flags], options.data_model), options.data_model)


DEFAULT = ReadOptions()
"""The default options."""
